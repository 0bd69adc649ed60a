/** One client's share of the room: the others have three times as much, whatever it does. */
const SHARE = 1 / 4

/** Where those who stand in line cost something: how many may, of one client and of all. */
export interface LineLimits {
  readonly ofOne: number
  readonly ofAll: number
  /** What the one too many is told. */
  refuse(): unknown
}

const NO_LIMITS: LineLimits = {
  ofOne: Number.POSITIVE_INFINITY,
  ofAll: Number.POSITIVE_INFINITY,
  refuse() {},
}

/** What someone holds of a room. */
export interface Held {
  /** It has become more or less than was thought. */
  resize(bytes: number): void
  /** May be done twice. */
  readonly giveBack: () => void
}

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
  readonly #line: LineLimits
  readonly #held = new Map<string, { bytes: number; count: number }>()
  /** By client, in the order of their turns. A line is there as long as someone stands in it. */
  readonly #lines = new Map<string, Waiting[]>()
  #waiting = 0
  #bytes = 0
  #count = 0

  constructor(total: number, line = NO_LIMITS) {
    this.#total = total
    this.#share = total * SHARE
    this.#line = line
  }

  /** Held now. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many hold something now. */
  get count(): number {
    return this.#count
  }

  /** Whether nobody would have to wait for so much. */
  has(client: string, bytes: number): boolean {
    return this.#hasShare(client, bytes) && this.#bytes + bytes <= this.#total
  }

  /** Throws what the line refuses with where too many wait, and the signal's reason where nobody waits any more. */
  async take(client: string, bytes: number, signal: AbortSignal): Promise<Held> {
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
    return this.#heldBy(client, counted)
  }

  /** Of what is there already, and was not waited for. */
  hold(client: string, bytes: number): Held {
    this.#hold(client, bytes)
    return this.#heldBy(client, bytes)
  }

  #heldBy(client: string, taken: number): Held {
    let bytes: number | undefined = taken
    return {
      resize: (to) => {
        if (bytes === undefined) return
        this.#change(client, to - bytes, 0)
        bytes = to
      },
      giveBack: () => {
        if (bytes !== undefined) this.#change(client, -bytes, -1)
        bytes = undefined
      },
    }
  }

  #wait(client: string, waiting: Waiting, signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.#leave(client, waiting, signal.reason), { once: true })
    if ((this.#lines.get(client)?.length ?? 0) > this.#line.ofOne) this.#refuseLastOf(client)
    else if (this.#waiting > this.#line.ofAll) this.#refuseLastOf(this.#longestLine())
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

  #change(client: string, bytes: number, count: number): void {
    const held = this.#held.get(client) ?? { bytes: 0, count: 0 }
    if (held.count + count > 0) {
      this.#held.set(client, { bytes: held.bytes + bytes, count: held.count + count })
    } else this.#held.delete(client)
    this.#bytes += bytes
    this.#count += count
    if (bytes < 0) this.#letIn()
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
    if (last) this.#leave(client, last, this.#line.refuse())
  }

  #longestLine(): string {
    let longest = ['', 0] as [string, number]
    for (const [client, { length }] of this.#lines) if (length > longest[1]) longest = [client, length]
    return longest[0]
  }
}
