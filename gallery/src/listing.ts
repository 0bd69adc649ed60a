import { runsOut } from './runs-out.ts'

/** Before the last moment. */
const RENEW_BEFORE_MS = 60_000
const JUST_MS = 5_000
/** After it could not be done. */
const TRY_AGAIN_MS = 30_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * An endless list: pages from a generator, one after another as they are asked for. Addresses in it run out; before
 * they do, or when one of them fails, everything that is there is read again and put in the place of the old.
 */
export class Listing<T> {
  items: readonly T[] = []
  /** Nothing follows. */
  complete = false
  failure: unknown
  #pages: AsyncGenerator<T[]>
  readonly #open: () => AsyncGenerator<T[]>
  readonly #address: (item: T) => string | undefined
  readonly #listeners = new Set<() => void>()
  #reading: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #renewAt = Number.POSITIVE_INFINITY
  #renewing: Promise<void> | undefined
  #again: Promise<void> | undefined
  #renewed = 0

  /** `address`: one that the item holds. */
  constructor(open: () => AsyncGenerator<T[]>, address: (item: T) => string | undefined) {
    this.#open = open
    this.#address = address
    this.#pages = open()
  }

  get reading(): boolean {
    return this.#reading !== undefined
  }

  /** Something that is not there yet is on its way: not only what is there, again. */
  get growing(): boolean {
    return this.reading && (this.#renewing === undefined || this.items.length === 0)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#schedule()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) clearTimeout(this.#timer)
    }
  }

  /** The next page, unless one is on its way. */
  more(): void {
    if (this.#reading || this.complete || this.failure) return
    this.#run(async () => {
      let added: T[] = []
      do {
        const { value, done } = await this.#pages.next()
        if (done) this.complete = true
        else added = value
        // A page of a search may hold nothing, and yet more may follow: for as long as someone waits for it.
      } while (added.length === 0 && !this.complete && this.#listeners.size > 0)
      this.items = this.items.concat(added)
      this.#watch(added)
    })
  }

  /** After a failure. */
  retry(): void {
    this.failure = undefined
    if (this.items.length > 0) return void this.renew()
    this.#pages = this.#open()
    this.more()
  }

  /**
   * Everything that is there, again. Whoever asks while it is being done may know of something newer: then it is done
   * once more.
   */
  renew(): Promise<void> {
    if (this.#renewing) {
      this.#again ??= this.#renewing.then(() => {
        this.#again = undefined
        return this.renew()
      })
      return this.#again
    }
    this.#renewing = this.#readAgain().finally(() => {
      this.#renewing = undefined
      this.#renewed = Date.now()
    })
    return this.#renewing
  }

  /** For an address that failed. What was just read is not read again: then it is not the address. */
  async renewUnlessJustDone(): Promise<void> {
    if (this.#renewing) await this.#renewing
    else if (Date.now() - this.#renewed > JUST_MS) await this.renew()
  }

  async #readAgain(): Promise<void> {
    // Whoever heard that it ended may have asked for more at once.
    while (this.#reading) await this.#reading
    await this.#run(async () => {
      const pages = this.#open()
      const items: T[] = []
      let complete = false
      try {
        while (items.length < Math.max(1, this.items.length) && !complete) {
          const { value, done } = await pages.next()
          complete = done === true
          items.push(...(value ?? []))
        }
      } catch (error) {
        if (Date.now() >= this.#renewAt) this.#renewAt = Date.now() + TRY_AGAIN_MS
        this.#schedule()
        throw error
      }
      this.#pages = pages
      this.items = items
      this.complete = complete
      this.failure = undefined
      this.#renewAt = Number.POSITIVE_INFINITY
      this.#watch(items)
    })
  }

  /** For the moment when a sleeping machine wakes up: timers slept as well. */
  renewIfDue(): void {
    if (Date.now() >= this.#renewAt) void this.renew()
  }

  #run(work: () => Promise<void>): Promise<void> {
    this.#reading = work()
      .catch((error) => {
        this.failure = error
      })
      .finally(() => {
        this.#reading = undefined
        this.#tell()
      })
    this.#tell()
    return this.#reading
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  #watch(added: readonly T[]): void {
    const now = Date.now()
    for (const item of added) {
      const end = runsOut(this.#address(item) ?? '')
      // One that seems to be over already was made by a clock that is not ours: then only a failure tells.
      if (end === undefined || end <= now) continue
      this.#renewAt = Math.min(this.#renewAt, end - Math.min(RENEW_BEFORE_MS, (end - now) / 2))
    }
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#listeners.size === 0 || this.#renewAt === Number.POSITIVE_INFINITY) return
    const wait = Math.min(Math.max(0, this.#renewAt - Date.now()), LONGEST_TIMER_MS)
    this.#timer = setTimeout(() => this.renewIfDue(), wait)
  }
}
