import { Client } from '../load.ts'

export interface Figures {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** Refused, broken off, or answered with something else than 200. */
  readonly failed: number
}

export interface LineOptions {
  readonly connections: number
  /** A new connection for each request. */
  readonly fresh: boolean
  /** The address of ours that it comes from. */
  readonly from?: string | undefined
}

/** What no answer counts as. */
const NEVER_MS = 30_000

/**
 * One request, asked for again and again. It counts from the moment it was meant to be sent, also where it had to wait
 * until a connection was free: a client that stops asking while the service stands still would see one slow answer
 * instead of hundreds.
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

  /** Opens all connections: Node accepts one in each turn of its loop, and a victim had its own before the attack. */
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
        // It was counted as one that was never answered.
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
