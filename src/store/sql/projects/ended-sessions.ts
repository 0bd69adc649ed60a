import { sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import { countRows, type Database, insertNew, type Transaction, update } from '../database.ts'

const DAY_MS = 86_400_000

/** `Store.findKey` finds no key for a session that is among these. */
export function createEndedSessions(db: Database) {
  return {
    /**
     * Remembers that somebody has signed out. `session`: a hash of its id. `owner`: a hash of the key that it began with. Durable when
     * it returns. Throws `rate_limited` if its owner has `most` already.
     */
    end({ session, owner }: { session: string; owner: string }, { most }: { most: number }): Promise<void> {
      return db.transaction(async (transaction) => {
        const count = await countRows(transaction, 'ended_sessions', sql`owner = ${owner}`)
        if (count >= most) throw tooMany(most)
        const day = sql<number>`coalesce((select day from session_days), 0)`
        await insertNew(transaction, 'ended_sessions', { session, owner, day })
      })
    },

    /**
     * Counts the days, and forgets up to `limit` sessions that ended more than `days` ago. A day counts when a call comes at
     * least a day after the call that counted the day before: a clock that jumps by a year counts as one day. Returns how many were
     * forgotten.
     */
    async forget({ now: at, days, limit }: { now: number; days: number; limit: number }): Promise<number> {
      const now = await db.timeAt(at)
      const day = await db.transaction((transaction) => countDay(transaction, now))
      const some = sql`select session from ended_sessions where day < ${day - days} limit ${limit}`
      const { numAffectedRows = 0n } = await db.transaction((transaction) =>
        sql`delete from ended_sessions where session in (${some})`.execute(transaction),
      )
      return Number(numAffectedRows)
    },
  }
}

/** The number of the day. Of several processes, one counts. */
async function countDay(transaction: Transaction, now: number): Promise<number> {
  await insertNew(transaction, 'session_days', { one: 1, day: 0, begun: now })
  const nextDay = { day: sql<number>`day + 1`, begun: now }
  await update(transaction, 'session_days', nextDay, sql`begun <= ${now - DAY_MS}`)
  // The clock was ahead when this was written.
  await update(transaction, 'session_days', { begun: now }, sql`begun > ${now}`)
  return (await transaction.selectFrom('session_days').select('day').executeTakeFirstOrThrow()).day
}

function tooMany(most: number): AppError {
  return new AppError(
    'rate_limited',
    `${most} sessions of this key were ended, and all are remembered for weeks. You are not signed out. If somebody has your ` +
      'cookie, have the key revoked.',
  )
}
