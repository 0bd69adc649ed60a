import type { SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from '../sql/tables.ts'
import type { Connection } from './connections.ts'
import { type DatabaseFile, translating } from './errors.ts'
import { whileBusy } from './while-busy.ts'

/** Called after each statement that returns no rows. */
export type OnRun = (parameters: readonly SQLInputValue[]) => void

export function queryBuilder(connection: Connection, file: DatabaseFile, onRun?: OnRun): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, file, onRun) })
}

/** Kysely's SQLite dialect on `node:sqlite`. It adds two things that several processes on one file need. */
class NodeSqliteDialect implements Dialect {
  readonly #connection: Connection
  readonly #file: DatabaseFile
  readonly #onRun: OnRun | undefined

  constructor(connection: Connection, file: DatabaseFile, onRun: OnRun | undefined) {
    this.#connection = connection
    this.#file = file
    this.#onRun = onRun
  }

  createDriver = () => new ImmediateDriver(this.#connection, this.#file, this.#onRun)
  createAdapter = () => new TransactionalDdlAdapter()
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db)
  createQueryCompiler = () => new SqliteQueryCompiler()
}

/**
 * A deferred transaction that reads and then writes fails at once if another process wrote in between. An immediate one
 * waits. All writes are such transactions, so only this code waits.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #connection: Connection

  constructor(connection: Connection, file: DatabaseFile, onRun: OnRun | undefined) {
    super({ database: adapt(connection, file, onRun) })
    this.#connection = connection
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await whileBusy(() => connection.executeQuery(CompiledQuery.raw('begin immediate')))
  }

  /** If the disk was full, SQLite has rolled back already. A second rollback would fail, and hide that error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** DDL of SQLite is transactional. Within an immediate transaction, migrations run once. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** `node:sqlite` with the interface that Kysely expects. Statements are prepared once. */
function adapt(connection: Connection, file: DatabaseFile, onRun?: OnRun): SqliteDatabase {
  let { database } = connection
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    // `connections.ts` closes the database. Kysely would close it only if it was used.
    close: () => {},
    prepare(text) {
      if (database !== connection.database) statements.clear()
      database = connection.database
      const known = statements.get(text)
      if (known) return known
      const statement = translating(file, () => database.prepare(text))
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      const prepared = {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) =>
          translating(file, () => statement.all(...values(parameters))),
        run(parameters: readonly unknown[]) {
          const result = translating(file, () => statement.run(...values(parameters)))
          onRun?.(values(parameters))
          return result
        },
        iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
      }
      // The text of some statements depends on the number of values. They must not fill the memory.
      if (statements.size >= 200) statements.clear()
      statements.set(text, prepared)
      return prepared
    },
  }
}
