import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { NO_TURN } from './due.ts'
import { isCompeting, joinTurns, lockTurns } from './join-turns.ts'

// During an upgrade, an older version may queue and end captures in the same database without counting them in `turns`.

/** Projects whose number of unfinished captures is wrong in `turns`. */
export async function findMiscounted(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select coalesce(counted.project_id, turns.project_id) as project_id
    from (select project_id, count(*) as pages from captures
      where finished is null and turn > ${NO_TURN} group by project_id) as counted
    full join turns on turns.project_id = counted.project_id
    where coalesce(pages, 0) <> coalesce(waiting, 0)`.execute(db)
  return rows.map((row) => row.project_id)
}

export async function recount(
  transaction: Transaction<Tables>,
  projectId: string,
  { now, lock }: { now: number; lock: boolean },
): Promise<void> {
  const turns = await lockTurns(transaction, projectId, { lock })
  const { pages } = await transaction
    .selectFrom('captures')
    .select(({ fn }) => fn.countAll<number>().as('pages'))
    .where('finished', 'is', null)
    .where('turn', '>', NO_TURN)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  const competes = turns.waiting > 0 && (await isCompeting(transaction, projectId, now))
  await joinTurns(transaction, { projectId, now, pages: pages - turns.waiting, competes }, turns)
}
