import { Client } from '../load.ts'

// The victim: asks at a steady rate, in a process of its own, so that nothing but the service and the machine can delay
// it. A request counts from the moment it was meant to be sent, also where it had to wait until a connection
// was free: a client that stops asking while the service stands still would see one slow answer instead of hundreds.

export interface ProbeOrder {
  readonly url: string
  readonly root: string
  readonly health: string
  readonly ms: number
  /** A new connection for each request. */
  readonly fresh: boolean
}

export interface Figures {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** Refused, broken off, or answered with something else than 200. */
  readonly failed: number
}

export interface Probed {
  readonly root: Figures
  readonly health: Figures
}

const ROOT_EVERY_MS = 10
const HEALTH_EVERY_MS = 20
/** Most that it opens, so that what was asked for while nothing moves need not queue behind each other for long. */
const CONNECTIONS = { root: 64, health: 16 }
/** How long it is waited for answers after the last was asked for. */
const GRACE_MS = 20_000
/** What no answer counts as. */
const NEVER_MS = 30_000

class Line {
  readonly #order: ProbeOrder
  readonly #request: string
  readonly #waiting: number[] = []
  readonly #asked = new Set<{ since: number }>()
  readonly #times: number[] = []
  #idle: (Client | undefined)[]
  #failed = 0

  constructor(order: ProbeOrder, request: string, connections: number) {
    this.#order = order
    this.#request = request
    this.#idle = Array.from({ length: connections })
  }

  ask(): void {
    this.#waiting.push(performance.now())
    this.#pump()
  }

  get isQuiet(): boolean {
    return this.#waiting.length + this.#asked.size === 0
  }

  end(): Figures {
    const now = performance.now()
    const open = [...this.#waiting, ...[...this.#asked].map(({ since }) => since)]
    for (const client of this.#idle) client?.close()
    const times = [...this.#times, ...open.map((since) => now - since)].sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
    return {
      count: times.length,
      p50: at(0.5),
      p99: at(0.99),
      worst: at(1),
      failed: this.#failed + open.length,
    }
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      const asked = { since: this.#waiting.shift() ?? 0 }
      this.#asked.add(asked)
      const client = this.#idle.pop() ?? new Client(this.#order.url)
      void this.#askOne(client).then((well) => {
        this.#asked.delete(asked)
        if (!well) this.#failed++
        this.#times.push(well ? performance.now() - asked.since : NEVER_MS)
        const reuse = well && !this.#order.fresh
        if (!reuse) client.close()
        this.#idle.push(reuse ? client : undefined)
        this.#pump()
      })
    }
  }

  async #askOne(client: Client): Promise<boolean> {
    try {
      return (await client.ask(this.#request)).status === 200
    } catch {
      return false
    }
  }
}

async function probe(order: ProbeOrder): Promise<Probed> {
  const root = new Line(order, order.root, CONNECTIONS.root)
  const health = new Line(order, order.health, CONNECTIONS.health)
  // What this process itself is late with is left out: one request for each time that it comes to run.
  const timers = [
    setInterval(() => root.ask(), ROOT_EVERY_MS),
    setInterval(() => health.ask(), HEALTH_EVERY_MS),
  ]
  await new Promise((resolve) => setTimeout(resolve, order.ms))
  for (const timer of timers) clearInterval(timer)
  const latest = performance.now() + GRACE_MS
  while (!(root.isQuiet && health.isQuiet) && performance.now() < latest) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { root: root.end(), health: health.end() }
}

process.on('message', async (order: ProbeOrder) => process.send?.(await probe(order)))
process.on('disconnect', () => process.exit())
