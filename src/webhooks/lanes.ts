/** Attempts under way in this process. */
const SLOTS = 16
/** Of them, those of webhooks that fail or are slow. */
const TROUBLED_SLOTS = SLOTS / 2
/** Of one webhook. One that fails gets one at a time: a trial is enough to see whether it is well again. */
const OF_ONE = 4
const OF_ONE_FAILING = 1
/** An attempt that takes longer makes its webhook a slow one. */
const SLOW_MS = 3_000
/** Slow webhooks that are remembered. The oldest are forgotten: they are found again. */
const MAX_SLOW = 100

interface UnderWay {
  readonly webhookId: string
  readonly isFailing: boolean
  readonly began: number
}

/** What may be begun, given what is under way: a dead or slow receiver must not take all slots. */
export class Lanes {
  readonly #underWay = new Set<UnderWay>()
  readonly #slow = new Set<string>()
  readonly #clock: () => number

  /** `clock`: monotonic, in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  get size(): number {
    return this.#underWay.size
  }

  /** Undefined: nothing may be begun now. */
  room(): { readonly except: readonly string[]; readonly healthyOnly: boolean } | undefined {
    if (this.#underWay.size >= SLOTS) return undefined
    const now = this.#clock()
    for (const { webhookId, began } of this.#underWay) if (now - began > SLOW_MS) this.#addSlow(webhookId)
    const counts = new Map<string, number>()
    const full = new Set<string>()
    let troubled = 0
    for (const { webhookId, isFailing } of this.#underWay) {
      const count = (counts.get(webhookId) ?? 0) + 1
      counts.set(webhookId, count)
      if (count >= (isFailing ? OF_ONE_FAILING : OF_ONE)) full.add(webhookId)
      if (isFailing || this.#slow.has(webhookId)) troubled++
    }
    const healthyOnly = troubled >= TROUBLED_SLOTS
    return { except: [...(healthyOnly ? full.union(this.#slow) : full)], healthyOnly }
  }

  /** Returns what to call when the attempt is over. */
  begin(webhookId: string, isFailing: boolean): () => void {
    const attempt = { webhookId, isFailing, began: this.#clock() }
    this.#underWay.add(attempt)
    return () => {
      this.#underWay.delete(attempt)
      if (this.#clock() - attempt.began > SLOW_MS) this.#addSlow(webhookId)
      else this.#slow.delete(webhookId)
    }
  }

  #addSlow(webhookId: string): void {
    this.#slow.delete(webhookId)
    this.#slow.add(webhookId)
    if (this.#slow.size > MAX_SLOW) this.#slow.delete(this.#slow.keys().next().value as string)
  }
}
