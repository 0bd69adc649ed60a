import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../load.ts'

// The connections are as cheap as possible: this process and the service share the processor, and only the service is to be
// measured.

export interface Order {
  readonly url: string
  readonly connections: number
  /** Connections send these one after the other. If there are none, they stay silent. */
  readonly requests: readonly string[]
  /** After an answer: send the next request, or hold the connection. */
  readonly manner: 'loop' | 'hold'
  /** How many of the held connections read only the first bytes of their answer. */
  readonly unread?: 'none' | 'half' | 'all'
  /** A held connection is replaced by another after this time. */
  readonly heldMs?: number
  /** Source addresses, used one after the other. */
  readonly from?: readonly string[]
  /** How many sockets this process may have. */
  readonly mostSockets?: number
}

export interface Told {
  /** The number of answers by status. `ended`: no answer, or an incomplete one. */
  readonly answers: Record<string, number>
  readonly open: number
}

/** A refused connection tries again after this time. Floods of cheap requests are not tested here. */
const REFUSED_MS = 100
/** The same for connections. */
const REOPEN_MS = 1_000
/** Opened every 10 ms. If there were more, the service could not accept all. */
const BATCH = 100
const discarded = Buffer.alloc(65_536)

const answers: Record<string, number> = {}
let open = 0
let sockets = 0
const count = (what: string) => {
  answers[what] = (answers[what] ?? 0) + 1
}

function hold(order: Order, index: number, bytes: Buffer | undefined): void {
  const { port, hostname } = new URL(order.url)
  const unread = order.unread === 'all' || (order.unread === 'half' && index % 2 === 1)
  const silent = bytes === undefined
  let answered = false
  let over = false
  let counted = false
  const isOver = () => {
    if (counted) open--
    counted = false
  }
  const again = () => {
    if (over) return
    over = true
    const room = sockets < (order.mostSockets ?? Number.POSITIVE_INFINITY)
    if (room) setTimeout(() => hold(order, index, bytes), REOPEN_MS)
  }
  const socket = connect({
    port: Number(port),
    host: hostname,
    // A client that does not close a connection when the other side has ended it.
    allowHalfOpen: silent,
    ...(order.from && { localAddress: order.from[index % order.from.length] }),
    onread: {
      buffer: discarded,
      callback: (length, buffer) => {
        if (answered) return true
        answered = true
        const status = Buffer.from(buffer.buffer, buffer.byteOffset, length).toString('latin1', 9, 12)
        count(status)
        if (Number(status) >= 400 && !silent) socket.destroy()
        return !unread
      },
    },
  })
  sockets++
  socket.once('connect', () => {
    open++
    counted = true
    if (bytes) socket.write(bytes)
  })
  socket.once('end', () => {
    isOver()
    if (!answered || silent) count('ended')
    if (silent) again()
    else socket.destroy()
  })
  socket.on('error', () => count('broken'))
  socket.once('close', () => {
    sockets--
    isOver()
    again()
  })
  if (order.heldMs) setTimeout(() => socket.destroy(), order.heldMs).unref()
}

async function askAgain(order: Order, request: string): Promise<void> {
  for (;;) {
    const client = new Client(order.url)
    try {
      for (;;) {
        const { status } = await client.ask(request)
        count(String(status))
        if (status >= 400 && status !== 400) await sleep(REFUSED_MS)
      }
    } catch {
      count('ended')
      client.close()
      await sleep(REOPEN_MS)
    }
  }
}

async function begin(order: Order): Promise<void> {
  const requests = order.requests.map((request) => Buffer.from(request, 'latin1'))
  for (let index = 0; index < order.connections; index++) {
    if (order.manner === 'loop') void askAgain(order, order.requests[index % order.requests.length] ?? '')
    else hold(order, index, requests[index % requests.length])
    if (index % BATCH === BATCH - 1) await sleep(10)
  }
}

process.on('message', async (order: Order | 'tell') => {
  if (order !== 'tell') void begin(order)
  process.send?.({ answers, open } satisfies Told)
})
process.on('disconnect', () => process.exit())
