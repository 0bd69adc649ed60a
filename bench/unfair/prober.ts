import { setTimeout as sleep } from 'node:timers/promises'
import { type Figures, Line, type LineOptions } from './line.ts'

// The victim: sends requests at a steady rate. It has its own process, so that only the service and the machine delay it.

export interface ProbeOrder extends Omit<LineOptions, 'connections'> {
  readonly url: string
  readonly root: string
  readonly health: string
  readonly ms: number
}

export interface Probed {
  readonly root: Figures
  readonly health: Figures
}

const ROOT_EVERY_MS = 20
const HEALTH_EVERY_MS = 40
/** Enough connections for more than a second without answers: no request waits for another request of the victim. */
const CONNECTIONS = 64
/** How long to wait for answers after the last request. */
const GRACE_MS = 20_000

let enough = new AbortController()
let lines: { root: Line; health: Line } | undefined

async function openLines({ url, root, health, fresh, from }: ProbeOrder) {
  const options = { connections: CONNECTIONS, fresh, from }
  const opened = { root: new Line(url, root, options), health: new Line(url, health, options) }
  await Promise.all([opened.root.open(), opened.health.open()])
  return opened
}

async function probe(order: ProbeOrder): Promise<Probed> {
  lines ??= await openLines(order)
  const { root, health } = lines
  // If this process itself is late, it skips requests.
  const timers = [
    setInterval(() => root.ask(), ROOT_EVERY_MS),
    setInterval(() => health.ask(), HEALTH_EVERY_MS),
  ]
  enough = new AbortController()
  await sleep(order.ms, undefined, { signal: enough.signal }).catch(() => {})
  for (const timer of timers) clearInterval(timer)
  const latest = performance.now() + GRACE_MS
  while (!(root.isQuiet && health.isQuiet) && performance.now() < latest) await sleep(20)
  return { root: root.take(), health: health.take() }
}

process.on('message', async (order: ProbeOrder | 'enough') => {
  if (order === 'enough') enough.abort()
  else process.send?.(await probe(order))
})
process.on('disconnect', () => process.exit())
