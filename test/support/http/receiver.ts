import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly port: number
  /** Every complete request. */
  readonly received: Received[]
  /** Resolves when `count` requests have arrived. */
  waitFor(count: number): Promise<void>
  close(): Promise<void>
}

export type Answer = (answer: ServerResponse, received: Received, request: IncomingMessage) => void

/** Receives deliveries on 127.0.0.1, and answers as told. */
export async function openReceiver(
  answer: Answer = (to) => void to.writeHead(204).end(),
  { tls, port = 0 }: { tls?: ServerOptions; port?: number } = {},
): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const take: RequestListener = (request, to) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const one = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      for (const look of waiting) look()
      answer(to, one, request)
    })
  }
  const server = tls ? createSecureServer(tls, take) : createServer(take)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http${tls ? 's' : ''}://127.0.0.1:${taken}/hook`,
    port: taken,
    received,
    waitFor: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
