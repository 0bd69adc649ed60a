import type { Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { AcceptLimits, NewRequest } from '../../captures.ts'
import { writeInSlices } from '../in-slices.ts'
import { requireProject } from '../projects/projects.ts'
import type { Tables } from '../tables.ts'
import { NO_TURN } from './due.ts'
import { isCompeting, joinTurns, lockTurns, requireRoom } from './join-turns.ts'
import { addRequest, findAccepted, queuePages, rowsOfPages } from './requests.ts'
import { keepSecrets } from './secrets.ts'

/** By then, some may have begun. */
const RETRY_AFTER_S = 60

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

/** Throws `rate_limited` if too many pages of the project would be scheduled. */
async function requireRoomLater(
  transaction: Transaction<Tables>,
  { projectId, pages }: NewRequest,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { count } = await transaction
    .selectFrom('captures')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('finished', 'is', null)
    .where('project_id', '=', projectId)
    .where('turn', '=', NO_TURN)
    .executeTakeFirstOrThrow()
  if (count + pages.length <= most) return
  throw new AppError(
    'rate_limited',
    `this project has ${count} scheduled pages; ${pages.length} more would exceed its limit of ` +
      `${most} (MAX_PAGES_SCHEDULED)`,
    { retryAfterS: RETRY_AFTER_S },
  )
}

/** Adds the pages, with their secrets, but not to the queue. */
async function schedulePages(transaction: Transaction<Tables>, request: NewRequest): Promise<void> {
  const rows = rowsOfPages(request).map((row) => ({ ...row, state: 'scheduled' as const, turn: NO_TURN }))
  await writeInSlices(rows, (some) => transaction.insertInto('captures').values(some).execute())
  await keepSecrets(transaction, request, request.pages)
}
