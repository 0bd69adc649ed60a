import type { ExpressionBuilder, ExpressionWrapper, SqlBool, Transaction } from 'kysely'
import type { Attempt, CaptureKey } from '../captures.ts'
import type { Schema } from './schema.ts'

/** Of a request, and of its captures, that nothing has happened to. */
export const FIRST_VERSION = 1

export type Condition = (
  eb: ExpressionBuilder<Schema, 'captures'>,
) => ExpressionWrapper<Schema, 'captures', SqlBool>

/** Queued and due, or begun by someone who has not renewed it since. `held`: also what is held for its first attempt. */
export function isDue(now: number, { held }: { held: boolean }): Condition {
  return (eb) =>
    eb.and([
      eb('finished', 'is', null),
      eb.or([
        eb.and([
          eb('state', '=', 'queued'),
          // To what is held nothing has happened yet; what was put back has its time, whoever asks.
          held ? eb.or([eb('due', '<=', now), eb('changed', '=', FIRST_VERSION)]) : eb('due', '<=', now),
        ]),
        eb.and([eb('state', '=', 'running'), eb('lease', '<', now)]),
      ]),
    ])
}

/** Of this attempt, and of none that began after it. */
export function isOf({ uuid }: Attempt): Condition {
  return (eb) => eb.and([eb('attempt', '=', uuid), eb('finished', 'is', null)])
}

/**
 * The page of a project that comes next, or of a root; of that, also those that are held. `lock`: until the transaction
 * ends; one that another has locked is not waited for.
 */
export async function findDue(
  transaction: Transaction<Schema>,
  now: number,
  of: { lock: boolean } & ({ projectId: string } | { rootId: string }),
): Promise<CaptureKey | undefined> {
  const due = transaction
    .selectFrom('captures')
    .select(['project_id', 'root_id', 'position'])
    .where(isDue(now, { held: 'rootId' in of }))
    .orderBy('turn')
    .limit(1)
  let query =
    'rootId' in of ? due.where('root_id', '=', of.rootId) : due.where('project_id', '=', of.projectId)
  if (of.lock) query = query.forUpdate().skipLocked()
  const row = await query.executeTakeFirst()
  return row && { projectId: row.project_id, rootId: row.root_id, position: row.position }
}
