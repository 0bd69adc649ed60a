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
  readonly origin?: Origin
  readonly rootId?: string
}

interface RequestsOptions extends Required<AcceptLimits> {
  readonly ring: KeyRing
  readonly onScheduled?: () => void
}

export type Requests = ReturnType<typeof createRequests>

export function createRequests(
  { captures }: Pick<Store, 'captures'>,
  queue: Queue,
  { ring, onScheduled = () => {}, ...limits }: RequestsOptions,
) {
  return {
    /**
     * Returns the id of the root when it is durable. Throws `not_found`, `conflict` if the idempotency key was used before, or
     * `rate_limited` if too many pages of the project wait.
     */
    async accept(
      projectId: string,
      asked: Digested,
      { now, idempotencyKey, origin, rootId = randomUUID() }: AcceptOptions,
    ): Promise<string> {
      await otherWork()
      const sealed = await sealRequest(asked, rootId, ring)
      const heldUntil = queue.heldUntil?.(now)
      const request = { ...sealed, projectId, rootId, created: now, idempotencyKey, origin, heldUntil }
      await otherWork()
      const accepted = await captures.accept(request, limits)
      if (origin?.scheduled !== undefined) onScheduled()
      queue.wake({ projectId, rootId: accepted })
      return accepted
    },
  }
}
