import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../sql/tables.ts'
import type { Pool } from './pool.ts'

export function queryBuilder(pool: Pool): Kysely<Tables> {
  const adapted = {
    async connect() {
      const { begin, query, release } = await pool.connect()
      return {
        release,
        query: (text: string, values: readonly unknown[]) =>
          query({ text: text === 'begin' ? begin : text, values: [...values] }),
      }
    },
    // `pool.ts` closes the pool.
    end: async () => {},
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: adapted as unknown as PostgresPool }) })
}
