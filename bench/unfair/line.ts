import { Client } from '../load.ts'

export interface Figures {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** Refused, broken off, or answered with another status than 200. */
  readonly failed: number
}

export interface LineOptions {
  readonly connections: number
  /** A new connection for each request. */
  readonly fresh: boolean
  /** The source address. */
  readonly from?: string | undefined
}

/** The time that counts for a request without an answer. */
const NEVER_MS = 30_000

/**
 * Sends one request again and again. The time counts from the moment at which it should have been sent, even if it had to wait for a
 * free connection. Otherwise a service that hangs would give one slow answer instead of hundreds.
 */
export class Line {
  readonly #url: string
  readonly #request: string
  readonly #fresh: boolean
  readonly #from: string | undefined
  readonly #idle: (Client | undefined)[]
  #waiting: number[] = []
  #asked = new Set<{ since: number }>()
  #times: number[] = []
  #failed = 0

  constructor(url: string, request: string, { connections, fresh, from }: LineOptions) {
    this.#url = url
    this.#request = request
    this.#fresh = fresh
    this.#from = from
    this.#idle = Array.from({ length: connections })
  }

  /** Opens all connections before the attack: Node accepts one per iteration of its event loop. */
  async open(): Promise<void> {
    if (this.#fresh) return
    for (let opened = this.#idle.length; opened > 0; opened--) {
      const client = new Client(this.#url, this.#from)
      await this.#askOne(client)
      this.#idle.shift()
      this.#idle.push(client)
    }
  }

  ask(): void {
    this.#waiting.push(performance.now())
    this.#pump()
  }

  get isQuiet(): boolean {
    return this.#waiting.length + this.#asked.size === 0
  }

  /** The figures since the last call. */
  take(): Figures {
    const now = performance.now()
    const open = [...this.#waiting, ...[...this.#asked].map(({ since }) => since)]
    const times = [...this.#times, ...open.map((since) => now - since)].sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
    const failed = this.#failed + open.length
    this.#waiting = []
    this.#asked = new Set()
    this.#times = []
    this.#failed = 0
    return { count: times.length, p50: at(0.5), p99: at(0.99), worst: at(1), failed }
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      const asked = { since: this.#waiting.shift() ?? 0 }
      this.#asked.add(asked)
      const kept = this.#idle.shift()
      const client = kept?.isOpen ? kept : new Client(this.#url, this.#from)
      void this.#askOne(client).then((well) => {
        const reuse = well && !this.#fresh
        if (!reuse) client.close()
        this.#idle.push(reuse ? client : undefined)
        // It was already counted as a request without an answer.
        if (!this.#asked.delete(asked)) return
        if (!well) this.#failed++
        this.#times.push(well ? performance.now() - asked.since : NEVER_MS)
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
