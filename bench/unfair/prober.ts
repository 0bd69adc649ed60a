import { setTimeout as sleep } from 'node:timers/promises'
import { type Figures, Line, type LineOptions } from './line.ts'

// The victim: asks at a steady rate, in a process of its own, so that nothing but the service and the machine delay it.

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
/** So that for more than a second in which nothing moves no request queues behind another one of the victim's. */
const CONNECTIONS = 64
/** How long it is waited for answers after the last was asked for. */
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
  // What this process itself is late with is left out: one request for each time that it comes to run.
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
