import { runsOut } from './runs-out.ts'

/** How long before its end an address is renewed. */
const RENEW_BEFORE_MS = 60_000
const JUST_MS = 5_000
/** The pause after a renewal that failed. */
const TRY_AGAIN_MS = 30_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * An endless list. Its list pages come from a generator, one after another. Addresses of pictures in it expire. Before
 * that, or when one of them fails, all items are read again and replaced.
 */
export class Listing<T> {
  items: readonly T[] = []
  /** All items were read. */
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

  /** `address` returns an address of a picture of the item. */
  constructor(open: () => AsyncGenerator<T[]>, address: (item: T) => string | undefined) {
    this.#open = open
    this.#address = address
    this.#pages = open()
  }

  get reading(): boolean {
    return this.#reading !== undefined
  }

  /** New items are being read. False while old ones are only read again. */
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

  /** Reads the next list page, unless one is being read. */
  more(): void {
    if (this.#reading || this.complete || this.failure) return
    this.#run(async () => {
      let added: T[] = []
      do {
        const { value, done } = await this.#pages.next()
        if (done) this.complete = true
        else added = value
        // A list page of a search may be empty although more follow: read on while someone waits.
      } while (added.length === 0 && !this.complete && this.#listeners.size > 0)
      this.items = this.items.concat(added)
      this.#scheduleRenewal(added)
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
   * Reads all items again. If this is called while it runs, there may be something newer: then it runs once more.
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

  /** For an address that failed. Does nothing if the list was just read: then the address is not the cause. */
  async renewUnlessJustDone(): Promise<void> {
    if (this.#renewing) await this.#renewing
    else if (Date.now() - this.#renewed > JUST_MS) await this.renew()
  }

  async #readAgain(): Promise<void> {
    // A listener may have asked for more.
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
      this.#scheduleRenewal(items)
    })
  }

  /** For a machine that wakes up: its timers were stopped. */
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

  #scheduleRenewal(added: readonly T[]): void {
    const now = Date.now()
    for (const item of added) {
      const end = runsOut(this.#address(item) ?? '')
      // An address that seems to have expired already: the clocks differ. Only a failed picture can tell.
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
