/** The share of one client. Three quarters are always left for others. */
const SHARE = 1 / 4

/** How many requests may wait, of one client and of all. */
export interface LineLimits {
  readonly ofOne: number
  readonly ofAll: number
  /** How long the next request may wait, in milliseconds. */
  patienceMs?(): number
  /** The error for one request too many, and for one that has waited too long. */
  refuse(): unknown
}

const NO_LIMITS: LineLimits = {
  ofOne: Number.POSITIVE_INFINITY,
  ofAll: Number.POSITIVE_INFINITY,
  refuse() {},
}

/** Bytes that a request holds. */
export interface Held {
  /** Changes the number of bytes to the real one. */
  resize(bytes: number): void
  /** May be called twice. */
  readonly giveBack: () => void
}

/** Resolves when it may enter. */
interface Waiting extends PromiseWithResolvers<void> {
  readonly bytes: number
  isIn: boolean
}

/**
 * Limits the bytes in memory, in all and for each client. Requests that find too few bytes free wait in a line for each
 * client, and clients take turns. A client that has used up its share waits for itself, and no other client waits for it.
 * A request larger than a share, or than the whole budget, is let in alone.
 */
export class ByteBudget {
  readonly #total: number
  readonly #share: number
  readonly #line: LineLimits
  readonly #held = new Map<string, { bytes: number; count: number }>()
  /** By client, in the order of their turns. An empty line is removed. */
  readonly #lines = new Map<string, Waiting[]>()
  #waiting = 0
  #isLettingIn = false
  #bytes = 0
  #count = 0
  #closed: Error | undefined

  constructor(total: number, line = NO_LIMITS) {
    this.#total = total
    this.#share = total * SHARE
    this.#line = line
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many requests hold bytes now. */
  get count(): number {
    return this.#count
  }

  /** Throws the line's error if so many requests of the client wait that another one would be refused. */
  requirePlace(client: string): void {
    const isFull = () => (this.#lines.get(client)?.length ?? 0) >= this.#line.ofOne
    // Bytes that were given back a moment ago may be free.
    if (isFull()) this.#letIn()
    if (isFull()) throw this.#line.refuse()
  }

  /** Throws the line's error if too many wait, the signal's reason if it is aborted, and the reason for which it was closed. */
  async take(client: string, bytes: number, signal: AbortSignal): Promise<Held> {
    signal.throwIfAborted()
    if (this.#closed) throw this.#closed
    const counted = Math.min(bytes, this.#total)
    const waiting: Waiting = { bytes: counted, isIn: false, ...Promise.withResolvers<void>() }
    const line = this.#lines.get(client) ?? []
    line.push(waiting)
    this.#lines.set(client, line)
    this.#waiting++
    this.#letIn()
    if (!waiting.isIn) await this.#wait(client, waiting, signal)
    return this.#heldBy(client, counted)
  }

  /** Refuses all that wait, and all that come. */
  close(reason: Error): void {
    this.#closed = reason
    for (const [client, line] of this.#lines) {
      for (const waiting of line.slice()) this.#leave(client, waiting, reason)
    }
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

  async #wait(client: string, waiting: Waiting, signal: AbortSignal): Promise<void> {
    const leave = () => this.#leave(client, waiting, signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    if ((this.#lines.get(client)?.length ?? 0) > this.#line.ofOne) this.#refuseLastOf(client)
    else if (this.#waiting > this.#line.ofAll) this.#refuseLastOf(this.#longestLine())
    const patience = this.#line.patienceMs?.()
    const tooLong = () => this.#leave(client, waiting, this.#line.refuse())
    const impatient = patience === undefined ? undefined : setTimeout(tooLong, patience)
    await waiting.promise.finally(() => {
      clearTimeout(impatient)
      // A long answer waits many times with the same signal.
      signal.removeEventListener('abort', leave)
    })
  }

  /**
   * In the next iteration of the event loop. A client may close hundreds of connections at once: those that wait would be let in
   * one after the other, before it is known that they are closed as well.
   */
  #letInSoon(): void {
    if (this.#isLettingIn || this.#waiting === 0) return
    this.#isLettingIn = true
    setImmediate(() => {
      this.#isLettingIn = false
      this.#letIn()
    })
  }

  /** Lets requests in, in turns, while there are bytes for the next one. */
  #letIn(): void {
    for (const [client, line] of this.#lines) {
      const [first] = line
      if (!first || !this.#hasShare(client, first.bytes)) continue
      if (this.#bytes + first.bytes > this.#total) return
      line.shift()
      this.#waiting--
      this.#lines.delete(client)
      // The client comes after all others. This loop reaches it again.
      if (line.length > 0) this.#lines.set(client, line)
      this.#change(client, first.bytes, 1)
      first.isIn = true
      first.resolve()
    }
  }

  #hasShare(client: string, bytes: number): boolean {
    const held = this.#held.get(client)
    return !held || held.bytes + bytes <= this.#share
  }

  #change(client: string, bytes: number, count: number): void {
    const held = this.#held.get(client) ?? { bytes: 0, count: 0 }
    if (held.count + count > 0) {
      this.#held.set(client, { bytes: held.bytes + bytes, count: held.count + count })
    } else this.#held.delete(client)
    this.#bytes += bytes
    this.#count += count
    if (bytes < 0) this.#letInSoon()
  }

  #leave(client: string, waiting: Waiting, reason: unknown): void {
    const line = this.#lines.get(client)
    const place = line?.indexOf(waiting) ?? -1
    if (!line || place < 0) return
    line.splice(place, 1)
    this.#waiting--
    if (line.length === 0) this.#lines.delete(client)
    waiting.reject(reason)
    // Others may have waited for this one.
    this.#letInSoon()
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
