import type { Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import { NO_TURN } from '../captures/due.ts'
import { rowsOfPages } from '../captures/requests.ts'
import { keepSecrets } from '../captures/secrets.ts'
import { writeInSlices } from '../in-slices.ts'
import type { Tables } from '../tables.ts'

/** By then, some may have begun. */
const RETRY_AFTER_S = 60

/** Throws `rate_limited` if too many pages of the project would be scheduled. */
export async function requireRoomLater(
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
    `${count} pages of this project are scheduled. With ${pages.length} more there would be more than ` +
      `${most} (MAX_PAGES_SCHEDULED)`,
    { retryAfterS: RETRY_AFTER_S },
  )
}

/** Adds the pages, with their secrets, but not to the queue. */
export async function schedulePages(transaction: Transaction<Tables>, request: NewRequest): Promise<void> {
  const rows = rowsOfPages(request).map((row) => ({ ...row, state: 'scheduled' as const, turn: NO_TURN }))
  await writeInSlices(rows, (some) => transaction.insertInto('captures').values(some).execute())
  await keepSecrets(transaction, request, request.pages)
}
