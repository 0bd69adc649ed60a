import { randomUUID } from 'node:crypto'
import type { Queue } from '../queue/queue.ts'
import type { Store } from '../store/store.ts'
import { digestOf, type RequestContent } from './digest.ts'

export interface AcceptOptions {
  readonly now: number
  readonly idempotencyKey: string | undefined
  /** By default, a new id. */
  readonly rootId?: string
}

/** Accepts requests. */
export class Requests {
  readonly #store: Store
  readonly #queue: Queue
  readonly #limits: { readonly mostWaiting: number }

  constructor(store: Store, queue: Queue, limits: { readonly mostWaiting: number }) {
    this.#store = store
    this.#queue = queue
    this.#limits = limits
  }

  /**
   * Returns the id of the root when it is durable. Throws `not_found`, `conflict` if the idempotency key was used before, or
   * `rate_limited` if too many pages of the project wait.
   */
  async accept(
    projectId: string,
    asked: RequestContent,
    { now, idempotencyKey, rootId: given }: AcceptOptions,
  ): Promise<string> {
    const queue = this.#queue
    const request = {
      ...asked,
      projectId,
      rootId: given ?? randomUUID(),
      created: now,
      idempotencyKey,
      digest: digestOf(asked),
      heldUntil: queue.heldUntil?.(now),
    }
    const rootId = await this.#store.captures.accept(request, this.#limits)
    queue.wake({ projectId, rootId })
    return rootId
  }
}
