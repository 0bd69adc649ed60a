import { type Kysely, sql, type Transaction } from 'kysely'
import type { CaptureState } from '../../../contract/states.ts'
import type { Outcome } from '../../captures.ts'
import type { RootKey } from '../../store.ts'
import type { Tables } from '../tables.ts'
import { appendEvents } from './events.ts'

/** Roots that are read at a time. */
const AT_ONCE = 100

export function outcomeOf(states: readonly CaptureState[]): Outcome {
  if (states.includes('cancelled')) return 'cancelled'
  if (!states.includes('failed')) return 'done'
  return states.includes('done') ? 'partial' : 'failed'
}

/**
 * Writes that the root is finished, if all its captures have ended. Returns whether it was written now. The transaction has
 * locked the row of the request before. So if two transactions end the last two captures, the later one sees both ends.
 */
export async function finishIfLast(
  transaction: Transaction<Tables>,
  { projectId, rootId }: RootKey,
  now: number,
): Promise<boolean> {
  const ofRoot = transaction
    .selectFrom('captures')
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
  const left = await ofRoot.select('position').where('finished', 'is', null).limit(1).executeTakeFirst()
  if (left) return false
  const states = (await ofRoot.select('state').distinct().execute()).map(({ state }) => state)
  const { numUpdatedRows } = await transaction
    .updateTable('requests')
    .set({ finished: now, outcome: outcomeOf(states) })
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('finished', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

// During an upgrade, an older version may end captures in the same database without writing that a root is finished.

/** Roots that are not finished although all their captures have ended. */
export async function findEnded(db: Kysely<Tables>): Promise<RootKey[]> {
  const { rows } = await sql<{ project_id: string; root_id: string }>`
    select project_id, root_id from requests
    where finished is null and (scheduled is null or begun is not null) and not exists (
      select 1 from captures where captures.project_id = requests.project_id
        and captures.root_id = requests.root_id and captures.finished is null)
    limit ${AT_ONCE}`.execute(db)
  return rows.map((row) => ({ projectId: row.project_id, rootId: row.root_id }))
}

export async function finishEnded(
  transaction: Transaction<Tables>,
  root: RootKey,
  now: number,
): Promise<void> {
  const locked = transaction
    .updateTable('requests')
    .set(({ ref }) => ({ version: ref('version') }))
    .where('project_id', '=', root.projectId)
    .where('root_id', '=', root.rootId)
  const { numUpdatedRows } = await locked.executeTakeFirst()
  if (numUpdatedRows === 0n || !(await finishIfLast(transaction, root, now))) return
  await appendEvents(transaction, root, [{ kind: 'root.finished' }], now)
}
