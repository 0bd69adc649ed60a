import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql, type Transaction } from 'kysely'
import { type Attempt, type CaptureKey, SUSPECT_DEATHS } from '../../captures.ts'
import type { Tables } from '../tables.ts'

/** The turn of pages that are not in the queue: before all others, so that the index of the queue can leave them out. */
export const NO_TURN = -1
/** The version of a new request and its captures. */
export const FIRST_VERSION = 1

export type CaptureCondition = (
  eb: ExpressionBuilder<Tables, 'captures'>,
) => ExpressionWrapper<Tables, 'captures', SqlBool>

/** Pages are put back or held for less than this. If one is due later, a clock was ahead when that was written. */
const LONGEST_PAUSE_MS = 65_000
const LONGEST_HOLD_MS = 11 * 60_000

/** Selects among the captures that are due. */
export interface DueOptions {
  /** Also captures that are held. */
  readonly held: boolean
  /** Only suspects, or none of them. Undefined: all. */
  readonly suspects?: boolean | undefined
}

/** Queued, and its time has come. */
export function isDue(now: number, { held, suspects }: DueOptions): CaptureCondition {
  return (eb) => {
    const isNew = eb('changed', '=', FIRST_VERSION)
    return eb.and([
      eb('finished', 'is', null),
      eb('state', '=', 'queued'),
      eb.or([
        eb('due', '<=', now),
        // Only new captures are held. One that was put back waits until it is due.
        held ? isNew : eb.and([isNew, eb('due', '>', now + LONGEST_HOLD_MS)]),
        eb.and([eb('changed', '>', FIRST_VERSION), eb('due', '>', now + LONGEST_PAUSE_MS)]),
      ]),
      ...(suspects === undefined ? [] : [eb('deaths', suspects ? '>=' : '<', sql.lit(SUSPECT_DEATHS))]),
    ])
  }
}

/** This is the last attempt, and the capture has not ended. */
export function isOf({ uuid }: Attempt): CaptureCondition {
  return (eb) => eb.and([eb('attempt', '=', uuid), eb('finished', 'is', null)])
}

/**
 * The next page of a project, or of a root. For a root, also held ones. `lock`: locks the row until the transaction ends.
 * Rows that another transaction has locked are skipped.
 */
export async function findDue(
  transaction: Transaction<Tables>,
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
    'rootId' in of
      ? due.where('root_id', '=', of.rootId)
      : due.where('project_id', '=', of.projectId).where('turn', '>', NO_TURN)
  if (of.lock) query = query.forUpdate().skipLocked()
  const row = await query.executeTakeFirst()
  return row && { projectId: row.project_id, rootId: row.root_id, position: row.position }
}
