import { createHash, randomUUID } from 'node:crypto'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import type { Queue } from '../queue/queue.ts'
import type { NewRequest } from '../store/captures.ts'
import type { Store } from '../store/store.ts'

/** A request whose form is right. */
export type Asked = Pick<NewRequest, 'width' | 'height' | 'fullPage' | 'tags' | 'pages' | 'failOnStatus'>

export interface AcceptOptions {
  readonly now: number
  readonly idempotencyKey: string | undefined
  /** Left out: a new one. */
  readonly rootId?: string
}

/** Takes in what is to be captured. */
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
   * Answers the id of the root, once it is safe. Throws `not_found`, `conflict` for a key that was used before, or
   * `rate_limited` where too many pages of the project wait.
   */
  async accept(
    projectText: string,
    asked: Asked,
    { now, idempotencyKey, rootId: given }: AcceptOptions,
  ): Promise<string> {
    const projectId = parseId(projectText)
    if (!projectId) throw new AppError('not_found')
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

/** Equal for equal requests. */
function digestOf({ width, height, fullPage, tags, pages, failOnStatus }: Asked): string {
  const parts = pages.map(({ url, name, loadingTime }) => [url, name, loadingTime])
  // Only where it was given: a request that came before there was such a thing keeps its digest.
  const more = failOnStatus ? ['status'] : []
  return createHash('sha256')
    .update(JSON.stringify([width, height, fullPage, tags, parts, ...more]))
    .digest('hex')
}
