import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Many clients watch one root. Only the id of each event is read.

export interface WatchOrder {
  readonly url: string
  readonly connections: number
  /** The streams use these keys one after the other. */
  readonly requests: readonly string[]
  readonly from: readonly string[]
}

/** Waits until all open streams have this event, or until the time is over. */
export interface WaitOrder {
  readonly event: number
  readonly limitMs: number
}

export interface Heard {
  readonly watching: number
  readonly heard: number
  /** When the last stream got it, in Unix milliseconds. */
  readonly lastAt: number
  readonly answers: Record<string, number>
}

const BATCH = 100
const NUMBER = Buffer.from('\nid: ')
const read = Buffer.alloc(65_536)
const answers: Record<string, number> = {}
const seen: number[] = []
let watching = 0
let lastAt = 0

function watch({ url, requests, from }: WatchOrder, index: number): void {
  const { port, hostname } = new URL(url)
  seen[index] = 0
  const socket = connect({
    port: Number(port),
    host: hostname,
    localAddress: from[index % from.length],
    onread: {
      buffer: read,
      callback(length, buffer) {
        const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length)
        if (seen[index] === 0) {
          const status = bytes.toString('latin1', 9, 12)
          if (bytes.toString('latin1', 0, 5) === 'HTTP/') answers[status] = (answers[status] ?? 0) + 1
        }
        const at = bytes.lastIndexOf(NUMBER)
        if (at < 0) return true
        const start = at + NUMBER.length
        seen[index] = Number.parseInt(bytes.toString('latin1', start, start + 16), 10)
        lastAt = Date.now()
        return true
      },
    },
  })
  socket.once('connect', () => {
    watching++
    socket.write(requests[index % requests.length] ?? '')
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    watching--
    seen[index] = -1
  })
}

async function begin(order: WatchOrder): Promise<void> {
  for (let index = 0; index < order.connections; index++) {
    watch(order, index)
    if (index % BATCH === BATCH - 1) await sleep(20)
  }
}

async function wait({ event, limitMs }: WaitOrder): Promise<void> {
  const latest = performance.now() + limitMs
  const missing = () => seen.some((number) => number >= 0 && number < event)
  while (missing() && performance.now() < latest) await sleep(5)
}

process.on('message', async (order: WatchOrder | WaitOrder) => {
  if ('connections' in order) await begin(order)
  else await wait(order)
  const event = 'event' in order ? order.event : 1
  const heard = seen.filter((number) => number >= event).length
  process.send?.({ watching, heard, lastAt, answers } satisfies Heard)
})
process.on('disconnect', () => process.exit())
