import {
  type InsertObject,
  type Kysely,
  type Transaction as KyselyTransaction,
  type RawBuilder,
  sql,
  type UpdateObject,
} from 'kysely'
import type { CaptureKey } from '../captures.ts'
import type { RootKey } from '../rows.ts'
import type { Tables } from './tables.ts'

export type Transaction = KyselyTransaction<Tables>

/** A database that a driver has opened. It translates the errors of its engine. `read` and `write` may be one connection. */
export interface Connections {
  readonly read: Kysely<Tables>
  readonly write: Kysely<Tables>
  /** How far the clock of the database is ahead of the clock of this machine. */
  readonly skew: () => Promise<number>
  readonly clock: () => number
}

/** Another process was faster. The transaction is rolled back, and begins again. */
export class Overtaken extends Error {}

export type Database = ReturnType<typeof createDatabase>

export function createDatabase({ read, write, skew, clock }: Connections) {
  return {
    ...{ read, skew, clock },
    /** Every write uses a transaction, also a single statement: only a transaction waits for other writers. */
    async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await write.transaction().execute(work)
        } catch (error) {
          if (!(error instanceof Overtaken)) throw error
        }
      }
    },
    /** A time of this machine, by the clock of the database. */
    timeAt: async (time: number): Promise<number> => time + (await skew()),
  }
}

// Conditions for the rows of every table that has these columns.

export function ofProject(projectId: string): RawBuilder<boolean> {
  return sql`project_id = ${projectId}`
}

export function ofRoot({ projectId, rootId }: RootKey): RawBuilder<boolean> {
  return sql`project_id = ${projectId} and root_id = ${rootId}`
}

export function ofCapture({ position, ...root }: CaptureKey): RawBuilder<boolean> {
  return sql`${ofRoot(root)} and position = ${position}`
}

// Statements for the rows of one table that meet all conditions.

type Conditions = readonly RawBuilder<boolean>[]

const all = (conditions: Conditions) => sql.join<boolean>(conditions, sql` and `)

export async function isThere(
  db: Kysely<Tables>,
  table: keyof Tables,
  ...conditions: Conditions
): Promise<boolean> {
  const found = await sql`select 1 from ${sql.table(table)} where ${all(conditions)} limit 1`.execute(db)
  return found.rows.length > 0
}

export async function countRows(
  db: Kysely<Tables>,
  table: keyof Tables,
  ...conditions: Conditions
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${all(conditions)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Adds a row, unless there is one with the same key. Returns whether it was added. */
export async function insertNew<T extends keyof Tables>(
  transaction: Transaction,
  table: T,
  row: InsertObject<Tables, T>,
): Promise<boolean> {
  const insert = transaction.insertInto(table as 'roots').values(row as InsertObject<Tables, 'roots'>)
  const { numInsertedOrUpdatedRows = 0n } = await insert
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** Returns whether there was such a row. */
export async function update<T extends keyof Tables>(
  transaction: Transaction,
  table: T,
  set: UpdateObject<Tables, T>,
  ...conditions: Conditions
): Promise<boolean> {
  const rows = transaction.updateTable(table as 'roots').set(set as UpdateObject<Tables, 'roots'>)
  const { numUpdatedRows } = await rows.where(all(conditions)).executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface Engine {
  /** The type of a UUID. `uuid` takes 16 bytes. */
  readonly id: 'text' | 'uuid'
  /** The expression for the index of jobs by address. Long addresses are shortened to fit into an entry. */
  readonly page: string
  /** During an upgrade, instances of the version before may use the same tables. */
  readonly oldVersionRuns: boolean
  /** The schema of the tables, if the engine has schemas. */
  readonly schema?: string
}
