import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface BareServer {
  readonly url: string
  /** In the order of arrival. */
  readonly asked: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }[]
}

export type BareAnswer = (response: ServerResponse, request: IncomingMessage, count: number) => unknown

/** Gives any answer that a test wants, however wrong, on a free port of 127.0.0.1, until the test is over. */
export async function serveBare(...answers: [BareAnswer, ...BareAnswer[]]): Promise<BareServer> {
  const asked: BareServer['asked'][number][] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    // The last answer is repeated.
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push({ method, path, headers })
    void answer?.(response, request, asked.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

export function json(value: unknown, headers: Record<string, string> = {}): BareAnswer {
  return (response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** Events, each piece as a chunk of its own. Ends well. */
export function events(...pieces: (string | Uint8Array)[]): BareAnswer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) {
      response.write(piece)
      await nextTurn()
    }
    response.end()
  }
}
