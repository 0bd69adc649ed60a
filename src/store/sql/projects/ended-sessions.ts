import { sql, type Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { EndedSession, EndedSessions } from '../../store.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'

const DAY_MS = 86_400_000

export class SqlEndedSessions implements EndedSessions {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async end({ session, owner }: EndedSession, { most }: { most: number }): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      const { count } = await transaction
        .selectFrom('ended_sessions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('owner', '=', owner)
        .executeTakeFirstOrThrow()
      if (Number(count) >= most) throw tooMany(most)
      const day = sql<number>`coalesce((select day from session_days), 0)`
      await transaction
        .insertInto('ended_sessions')
        .values({ session, owner, day })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    })
  }

  async forget({ now: given, days, limit }: Parameters<EndedSessions['forget']>[0]): Promise<number> {
    const now = await this.#db.timeAt(given)
    const day = await this.#db.transaction((transaction) => countDay(transaction, now))
    const some = sql`select session from ended_sessions where day < ${day - days} limit ${limit}`
    const { numAffectedRows = 0n } = await this.#db.transaction((transaction) =>
      sql`delete from ended_sessions where session in (${some})`.execute(transaction),
    )
    return Number(numAffectedRows)
  }
}

/** The number of the day. Of several processes, one counts. */
async function countDay(transaction: Transaction<Tables>, now: number): Promise<number> {
  await transaction
    .insertInto('session_days')
    .values({ one: 1, day: 0, begun: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const days = transaction.updateTable('session_days')
  await days
    .set(({ eb }) => ({ day: eb('day', '+', 1), begun: now }))
    .where('begun', '<=', now - DAY_MS)
    .execute()
  // The clock was ahead when this was written.
  await days.set({ begun: now }).where('begun', '>', now).execute()
  return (await transaction.selectFrom('session_days').select('day').executeTakeFirstOrThrow()).day
}

function tooMany(most: number): AppError {
  return new AppError(
    'rate_limited',
    `${most} sessions of this key were ended, and all are remembered for weeks. You are not signed out. If somebody has your ` +
      'cookie, have the key revoked.',
  )
}
