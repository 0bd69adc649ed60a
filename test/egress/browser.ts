import {
  type Server as HttpServer,
  createServer as httpServer,
  type RequestListener,
  request,
} from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createGuard, type Gate, type GateLimits, type GuardRules } from '../../src/egress/guard.ts'

// A browser as the guard sees it, and the sites that it visits. All of it is closed after the test.

export interface GateRules extends Partial<Omit<GuardRules, 'allow'>>, Partial<GateLimits> {
  readonly allow?: string
}

export async function openTestGate({ allow = '', maxBytes = 1e9, onTooLarge, ...rules }: GateRules = {}) {
  const guard = createGuard({ allow: parseAllowList(allow), ...rules })
  const gate = await guard.openGate({ maxBytes, ...(onTooLarge && { onTooLarge }) })
  onTestFinished(() => gate.close())
  return gate
}

/** Listens on 127.0.0.1; `sockets` are all connections so far. */
export async function listen(server: Server | HttpServer): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

export function serveHttp(listener: RequestListener) {
  return listen(httpServer(listener))
}

export function serveTcp(onSocket: (socket: Socket) => void = () => {}) {
  return listen(createServer({ allowHalfOpen: true }, onSocket))
}

/** Answers every request with these very bytes and hangs up. */
export function serveBytes(bytes: string) {
  return serveTcp((socket) => socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1'))))
}

export function dial(gate: Gate): Socket {
  const socket = connect(Number(new URL(gate.proxyUrl).port), '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Everything that arrives until the gate closes the connection. */
export async function sendBytes(gate: Gate, bytes: string | Buffer): Promise<string> {
  const socket = dial(gate)
  socket.write(bytes)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

/** An http request that asks to close the connection afterwards. */
export function sendRequest(gate: Gate, url: string, method = 'GET'): Promise<string> {
  return sendBytes(gate, `${method} ${url} HTTP/1.1\r\nHost: ignored\r\nConnection: close\r\n\r\n`)
}

export interface Tunnel {
  /** The line with the status. */
  readonly status: string
  readonly socket: Socket
}

export async function openTunnel(gate: Gate, authority: string): Promise<Tunnel> {
  const socket = dial(gate)
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  let isOver = false
  let wake = () => {}
  socket.on('readable', () => wake())
  socket.once('close', () => {
    isOver = true
    wake()
  })
  let head = ''
  while (!head.endsWith('\r\n\r\n')) {
    // Byte by byte: everything after the head belongs to the tunnel.
    const byte: Buffer | null = socket.read(1)
    if (byte) head += byte.toString('latin1')
    else if (isOver) break
    else await new Promise<void>((resolve) => (wake = resolve))
  }
  socket.removeAllListeners('readable')
  return { status: head.split('\r\n')[0] ?? '', socket }
}

/** `open`, or the reason why there is no tunnel: the answer itself must not say. */
export async function tryTunnel(gate: Gate, authority: string): Promise<string | undefined> {
  const { status } = await openTunnel(gate, authority)
  return status.includes(' 200 ') ? 'open' : (gate.failureOf(`https://${authority}/`)?.reason ?? status)
}

export interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: Iterable<Buffer> | AsyncIterable<Buffer>
  readonly agent?: import('node:http').Agent
}

export interface Answer {
  readonly status: number | undefined
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** A whole answer; rejects if it breaks off. */
export function ask(gate: Gate, url: string, { method = 'GET', headers, body, agent }: Asked = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(gate.proxyUrl)
    const asked = request({
      hostname,
      port,
      path: url,
      method,
      agent,
      headers: { Host: 'ignored', ...headers },
    })
    asked.on('error', reject)
    asked.on('response', async (given) => {
      try {
        const chunks = await Array.fromAsync(given as AsyncIterable<Buffer>)
        resolve({ status: given.statusCode, rawHeaders: given.rawHeaders, body: Buffer.concat(chunks) })
      } catch (error) {
        reject(error)
      }
    })
    const send = async () => {
      for await (const chunk of body ?? []) {
        if (!asked.write(chunk)) await new Promise((drained) => asked.once('drain', drained))
      }
      asked.end()
    }
    send().catch(reject)
  })
}
