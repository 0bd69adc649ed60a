import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql, type Transaction } from 'kysely'
import { type Attempt, type CaptureKey, SUSPECT_DEATHS } from '../../captures.ts'
import type { Schema } from '../schema.ts'

/** Of a request, and of its captures, that nothing has happened to. */
export const FIRST_VERSION = 1

export type Condition = (
  eb: ExpressionBuilder<Schema, 'captures'>,
) => ExpressionWrapper<Schema, 'captures', SqlBool>

/** Nobody puts a page back, or holds it, for longer: what is due later was written by a clock that was ahead. */
const LONGEST_PAUSE_MS = 65_000
const LONGEST_HOLD_MS = 11 * 60_000

/** Which of those that are due. */
export interface DueOptions {
  /** Also what is held for its first attempt. */
  readonly held: boolean
  /** Only those at which many processes have died, or none of them; undefined: all. */
  readonly suspects?: boolean | undefined
}

/** Queued, and its time has come. */
export function isDue(now: number, { held, suspects }: DueOptions): Condition {
  return (eb) => {
    const isNew = eb('changed', '=', FIRST_VERSION)
    return eb.and([
      eb('finished', 'is', null),
      eb('state', '=', 'queued'),
      eb.or([
        eb('due', '<=', now),
        // What was put back has its time, whoever asks.
        held ? isNew : eb.and([isNew, eb('due', '>', now + LONGEST_HOLD_MS)]),
        eb.and([eb('changed', '>', FIRST_VERSION), eb('due', '>', now + LONGEST_PAUSE_MS)]),
      ]),
      ...(suspects === undefined ? [] : [eb('deaths', suspects ? '>=' : '<', sql.lit(SUSPECT_DEATHS))]),
    ])
  }
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
  of: { lock: boolean; suspects?: boolean } & ({ projectId: string } | { rootId: string }),
): Promise<CaptureKey | undefined> {
  const due = transaction
    .selectFrom('captures')
    .select(['project_id', 'root_id', 'position'])
    .where(isDue(now, { held: 'rootId' in of, suspects: of.suspects }))
    .orderBy('turn')
    .limit(1)
  let query =
    'rootId' in of ? due.where('root_id', '=', of.rootId) : due.where('project_id', '=', of.projectId)
  if (of.lock) query = query.forUpdate().skipLocked()
  const row = await query.executeTakeFirst()
  return row && { projectId: row.project_id, rootId: row.root_id, position: row.position }
}
