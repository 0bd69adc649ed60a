import { sql } from 'kysely'
import type { Store } from '../store.ts'
import type { Database } from './database.ts'

type Identity = Pick<Store, 'keepIdentity' | 'followTime'> & {
  /** Writes something, and changes nothing. */
  tryWriting(): Promise<void>
}

/** What a store knows about itself. */
export function createIdentity(db: Database): Identity {
  return {
    async keepIdentity(name, value) {
      return await db.transaction(async (transaction) => {
        await transaction
          .insertInto('identity')
          .values({ name, value })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const kept = transaction.selectFrom('identity').select('value').where('name', '=', name)
        return (await kept.executeTakeFirstOrThrow()).value
      })
    },
    async followTime(name, { now: given, most }) {
      const now = await db.timeAt(given)
      return await db.transaction(async (transaction) => {
        await transaction
          .insertInto('times')
          .values({ name, time: now })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const kept = transaction.selectFrom('times').select('time').where('name', '=', name)
        const { time: before } = await (db.lock ? kept.forUpdate() : kept).executeTakeFirstOrThrow()
        const time = Math.min(now, before + Math.round(most))
        await transaction.updateTable('times').set({ time }).where('name', '=', name).execute()
        return time
      })
    },
    async tryWriting() {
      await db.transaction((transaction) =>
        transaction
          .updateTable('identity')
          .set({ value: sql.ref('value') })
          .execute(),
      )
    },
  }
}
