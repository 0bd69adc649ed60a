import { randomUUID } from 'node:crypto'
import type { Origin } from '../contract/status.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { AcceptLimits } from '../store/captures.ts'
import type { Store } from '../store/store.ts'
import { otherWork } from '../work/other-work.ts'
import type { Digested } from './digest.ts'
import type { Queue } from './queue.ts'
import { sealRequest } from './seal-request.ts'

export interface AcceptOptions {
  readonly now: number
  readonly idempotencyKey: string | undefined
  /** Where the root comes from. */
  readonly origin?: Origin
  /** By default, a new id. */
  readonly rootId?: string
}

interface RequestsOptions extends Required<AcceptLimits> {
  readonly ring: KeyRing
  /** Called when a root was scheduled for later. */
  readonly onScheduled?: () => void
}

/** Accepts requests. */
export class Requests {
  readonly #store: Store
  readonly #queue: Queue
  readonly #ring: KeyRing
  readonly #limits: AcceptLimits
  readonly #onScheduled: () => void

  constructor(store: Store, queue: Queue, { ring, onScheduled = () => {}, ...limits }: RequestsOptions) {
    this.#store = store
    this.#queue = queue
    this.#ring = ring
    this.#limits = limits
    this.#onScheduled = onScheduled
  }

  /**
   * Returns the id of the root when it is durable. Throws `not_found`, `conflict` if the idempotency key was used before, or
   * `rate_limited` if too many pages of the project wait.
   */
  async accept(
    projectId: string,
    asked: Digested,
    { now, idempotencyKey, origin, rootId = randomUUID() }: AcceptOptions,
  ): Promise<string> {
    const queue = this.#queue
    await otherWork()
    const request = {
      ...(await sealRequest(asked, rootId, this.#ring)),
      projectId,
      rootId,
      created: now,
      idempotencyKey,
      origin,
      heldUntil: queue.heldUntil?.(now),
    }
    await otherWork()
    const accepted = await this.#store.captures.accept(request, this.#limits)
    if (origin?.scheduled !== undefined) this.#onScheduled()
    queue.wake({ projectId, rootId: accepted })
    return accepted
  }
}
