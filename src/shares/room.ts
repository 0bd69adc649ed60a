import type { Refusals } from './refusals.ts'

/** One client's share of the room: the others have three times as much, whatever it does. */
const SHARE = 1 / 4
/** How many of one client, and how many of all, may stand in line. Each costs memory while it waits. */
const MAX_WAITING = { ofOne: 256, ofAll: 500 }
/** By then whatever holds room has come, or was ended. */
const RETRY_AFTER_S = 5

interface Waiting {
  readonly bytes: number
  readonly enter: () => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Bytes that may be held at a time, in all and by each client. Who finds no room waits in line, by turns between
 * clients. A client that holds its share waits for itself, and nobody for it. What is larger than a share, or than the
 * room, is let in alone.
 */
export class Room {
  readonly #total: number
  readonly #share: number
  readonly #refusals: Refusals
  readonly #held = new Map<string, { bytes: number; count: number }>()
  /** By client, in the order of their turns. A line is there as long as someone stands in it. */
  readonly #lines = new Map<string, Waiting[]>()
  #waiting = 0
  #bytes = 0
  #count = 0

  constructor(total: number, refusals: Refusals) {
    this.#total = total
    this.#share = total * SHARE
    this.#refusals = refusals
  }

  /** Held now. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many hold something now. */
  get count(): number {
    return this.#count
  }

  /**
   * Answers how to give it back, which may be done twice. Throws `rate_limited` where too many wait, and the signal's
   * reason where nobody waits any more.
   */
  async take(client: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const counted = Math.min(bytes, this.#total)
    await new Promise<void>((enter, refuse) => {
      const waiting = { bytes: counted, enter, refuse }
      const line = this.#lines.get(client) ?? []
      line.push(waiting)
      this.#lines.set(client, line)
      this.#waiting++
      this.#letIn()
      if (line.includes(waiting)) this.#wait(client, waiting, signal)
    })
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack(client, counted)
      isHeld = false
    }
  }

  #wait(client: string, waiting: Waiting, signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.#leave(client, waiting, signal.reason), { once: true })
    if ((this.#lines.get(client)?.length ?? 0) > MAX_WAITING.ofOne) this.#refuseLastOf(client)
    else if (this.#waiting > MAX_WAITING.ofAll) this.#refuseLastOf(this.#longestLine())
  }

  /** Those whose turn it is, as long as there is room for the next one. */
  #letIn(): void {
    for (const [client, line] of this.#lines) {
      const [first] = line
      if (!first || !this.#hasShare(client, first.bytes)) continue
      if (this.#bytes + first.bytes > this.#total) return
      line.shift()
      this.#waiting--
      this.#lines.delete(client)
      // Behind all others, which this loop comes to as well.
      if (line.length > 0) this.#lines.set(client, line)
      this.#hold(client, first.bytes)
      first.enter()
    }
  }

  #hasShare(client: string, bytes: number): boolean {
    const held = this.#held.get(client)
    return !held || held.bytes + bytes <= this.#share
  }

  #hold(client: string, bytes: number): void {
    const held = this.#held.get(client) ?? { bytes: 0, count: 0 }
    this.#held.set(client, { bytes: held.bytes + bytes, count: held.count + 1 })
    this.#bytes += bytes
    this.#count++
  }

  #giveBack(client: string, bytes: number): void {
    const held = this.#held.get(client)
    if (held && held.count > 1) this.#held.set(client, { bytes: held.bytes - bytes, count: held.count - 1 })
    else this.#held.delete(client)
    this.#bytes -= bytes
    this.#count--
    this.#letIn()
  }

  #leave(client: string, waiting: Waiting, reason: unknown): void {
    const line = this.#lines.get(client)
    const place = line?.indexOf(waiting) ?? -1
    if (!line || place < 0) return
    line.splice(place, 1)
    this.#waiting--
    if (line.length === 0) this.#lines.delete(client)
    waiting.refuse(reason)
    // It may have been the one that the others waited for.
    this.#letIn()
  }

  #refuseLastOf(client: string): void {
    const last = this.#lines.get(client)?.at(-1)
    const detail = 'too many requests of yours wait for their body to be read'
    if (last) this.#leave(client, last, this.#refusals.refuse('bodies', detail, RETRY_AFTER_S))
  }

  #longestLine(): string {
    let longest = ['', 0] as [string, number]
    for (const [client, { length }] of this.#lines) if (length > longest[1]) longest = [client, length]
    return longest[0]
  }
}
