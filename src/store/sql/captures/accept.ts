import type { Transaction } from 'kysely'
import type { AcceptLimits, NewRequest } from '../../captures.ts'
import { requireProject } from '../projects/projects.ts'
import { requireRoomLater, schedulePages } from '../schedules/scheduled-pages.ts'
import type { Tables } from '../tables.ts'
import { isCompeting, joinTurns, lockTurns, requireRoom } from './join-turns.ts'
import { addRequest, findAccepted, queuePages } from './requests.ts'

/** Another request with the same idempotency key was accepted at the same time. This one starts again. */
export class KeyTaken extends Error {}

interface AcceptOptions extends AcceptLimits {
  /** By the clock of the store. */
  readonly now: number
  readonly lock: boolean
}

/** See `Captures.accept`. Throws KeyTaken: then the transaction must be rolled back. */
export async function acceptRequest(
  transaction: Transaction<Tables>,
  request: NewRequest,
  { now, lock, mostWaiting = Number.POSITIVE_INFINITY, mostScheduled }: AcceptOptions,
): Promise<string> {
  const { projectId, rootId, pages } = request
  await requireProject(transaction, projectId)
  const turns = await lockTurns(transaction, projectId, { lock })
  const before = await findAccepted(transaction, request)
  if (before !== undefined) return before
  if ((request.origin?.scheduled ?? 0) > now) {
    await requireRoomLater(transaction, request, mostScheduled)
    if (!(await addRequest(transaction, request, { begun: null }))) throw new KeyTaken()
    await schedulePages(transaction, request)
    return rootId
  }
  requireRoom(request, turns, mostWaiting)
  const competes = turns.waiting > 0 && (await isCompeting(transaction, projectId, now))
  await joinTurns(transaction, { projectId, now, pages: pages.length, competes }, turns)
  if (!(await addRequest(transaction, request, { begun: now }))) throw new KeyTaken()
  await queuePages(transaction, request)
  return rootId
}
