import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from '../node-http.ts'
import { EgressError, type EgressFailure, Failures } from './failure.ts'
import { forward, MAX_HEADER_BYTES } from './forward.ts'
import { createMeter, type Meter } from './meter.ts'
import type { Reach } from './reach.ts'
import { parseAbsoluteForm, parseAuthority, type Target } from './target.ts'

const MAX_CONNECTIONS = 512

export interface GateLimits {
  /** Bytes from outside, all answers together. */
  readonly maxBytes: number
  /** Called once, when more came. The gate is already shut then. */
  readonly onTooLarge?: () => void
}

export type Gate = Awaited<ReturnType<typeof openGate>>

/** The forward proxy of one captured page: its only way to the network. */
export async function openGate(connect: Reach, { maxBytes, onTooLarge }: GateLimits) {
  const failures = new Failures()
  const open = new Set<Socket>()
  /** Browser connections with a request that is not answered yet. */
  const busy = new WeakSet<Socket>()
  let isShut = false

  const keep = (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Errors are handled where the socket is used, on 'close'.
    socket.on('error', () => {})
    if (isShut) socket.destroy()
  }
  const shut = () => {
    isShut = true
    for (const socket of open) socket.destroy()
  }
  const meter = createMeter(maxBytes, () => {
    shut()
    onTooLarge?.()
  })
  const pending = new Set<Promise<Socket>>()
  const reach: Reach = async (target, signal) => {
    const attempt = connect(target, signal)
    pending.add(attempt)
    try {
      const socket = await attempt
      keep(socket)
      failures.forget(target)
      return socket
    } catch (error) {
      if (error instanceof EgressError && !signal.aborted) failures.record(target, error)
      throw error
    } finally {
      pending.delete(attempt)
    }
  }
  /** A browser sends one request at a time on a connection. A connection that does not is closed. */
  const isOneAtATime = ({ socket }: IncomingMessage) => {
    if (busy.has(socket)) socket.destroy()
    busy.add(socket)
    return !socket.destroyed
  }

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0, requestTimeout: 0 })
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', keep)
  server.on('request', (asked, answer) => {
    if (!isOneAtATime(asked)) return
    const destination = parseAbsoluteForm(asked.url ?? '')
    if (!destination) return refuse(asked.socket, '400 Bad Request')
    answer.once('close', () => busy.delete(asked.socket))
    forward(asked, answer, destination, { reach, meter, failures }).catch(() => asked.socket.destroy())
  })
  server.on('connect', (asked, _, head) => {
    const { socket } = asked
    if (!isOneAtATime(asked)) return
    const target = parseAuthority(asked.url ?? '')
    if (!target) return refuse(socket, '400 Bad Request')
    tunnel(socket, head, target, reach, meter).catch(() => socket.destroy())
  })

  await once(server.listen(0, '127.0.0.1'), 'listening')
  // From now on an error only means that a connection was not accepted.
  server.on('error', () => {})
  const { port } = server.address() as AddressInfo
  return {
    proxyUrl: `http://127.0.0.1:${port}`,
    /** The last failure of the host and port of this address, if the guard knows one. */
    failureOf: (url: string): EgressFailure | undefined => failures.find(url),
    /** Bytes from outside towards the browser. */
    get received(): number {
      return meter.received
    },
    /** Destroys every connection. Resolves when none is open. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve))
      const gone = [...open].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      shut()
      await Promise.all([closed, ...gone, Promise.allSettled(pending)])
    },
  }
}

/** Answers without a body and hangs up. */
function refuse(browser: Socket, status: '400 Bad Request' | '502 Bad Gateway'): void {
  browser.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  browser.destroySoon()
}

/** CONNECT: bytes both ways, whatever they mean. */
async function tunnel(
  browser: Socket,
  head: Buffer,
  target: Target,
  reach: Reach,
  meter: Meter,
): Promise<void> {
  const gone = new AbortController()
  browser.once('close', () => gone.abort())
  let outside: Socket
  try {
    outside = await reach(target, gone.signal)
  } catch {
    // The same answer for every reason: a page could show in its picture what it learns about a private network.
    refuse(browser, '502 Bad Gateway')
    return
  }
  browser.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) outside.write(head)
  outside.on('data', meter.countFrom(outside))
  pour(browser, outside)
  pour(outside, browser)
}

/** Both ends close in the same way: in order, or by a reset. */
function pour(from: Socket, to: Socket): void {
  from.pipe(to)
  from.once('close', (hadError) => {
    if (hadError) to.resetAndDestroy()
    else if (from.readableEnded) to.destroySoon()
    else to.destroy()
  })
}
