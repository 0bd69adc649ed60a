import { type RawBuilder, sql } from 'kysely'
import { type Attempt, type CaptureKey, SUSPECT_DEATHS } from '../../captures.ts'
import type { Transaction } from '../database.ts'

/** The turn of pages that are not in the queue: before all others, so that the index of the queue can leave them out. */
export const NO_TURN = -1
/** The version of a new request and its captures. */
export const FIRST_VERSION = 1

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
export function isDue(now: number, { held, suspects }: DueOptions): RawBuilder<boolean> {
  // Only new captures are held. One that was put back waits until it is due.
  const isHeld = held ? sql`` : sql`and due > ${now + LONGEST_HOLD_MS}`
  const deaths = sql`and deaths ${sql.raw(suspects ? '>=' : '<')} ${sql.lit(SUSPECT_DEATHS)}`
  return sql`finished is null and state = 'queued' and (due <= ${now}
    or (changed = ${FIRST_VERSION} ${isHeld})
    or (changed > ${FIRST_VERSION} and due > ${now + LONGEST_PAUSE_MS})) ${suspects === undefined ? sql`` : deaths}`
}

/** This is the last attempt, and the capture has not ended. */
export function isOf({ uuid }: Attempt): RawBuilder<boolean> {
  return sql`attempt = ${uuid} and finished is null`
}

/**
 * The next page of a project, or of a root. For a root, also held ones. `lock`: locks the row until the transaction ends.
 * Rows that another transaction has locked are skipped.
 */
export async function findDue(
  transaction: Transaction,
  now: number,
  of: { lock?: boolean; suspects?: boolean } & ({ projectId: string } | { rootId: string }),
): Promise<CaptureKey | undefined> {
  const due = transaction
    .selectFrom('captures')
    .select(['project_id as projectId', 'root_id as rootId', 'position'])
    .where(isDue(now, { held: 'rootId' in of, suspects: of.suspects }))
    .orderBy('turn')
    .limit(1)
  let query =
    'rootId' in of
      ? due.where('root_id', '=', of.rootId)
      : due.where('project_id', '=', of.projectId).where('turn', '>', NO_TURN)
  if (of.lock === true) query = query.forUpdate().skipLocked()
  return await query.executeTakeFirst()
}
