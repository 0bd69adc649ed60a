import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
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
import type { Schema } from '../sql/schema.ts'
import { translating } from './errors.ts'
import { whileBusy } from './while-busy.ts'

export function queryBuilder(database: DatabaseSync): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new NodeSqliteDialect(database) })
}

/** Kysely's SQLite dialect on `node:sqlite`, with the two things it lacks for several processes on one file. */
class NodeSqliteDialect implements Dialect {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  createDriver = () => new ImmediateDriver(this.#database)
  createAdapter = () => new TransactionalDdlAdapter()
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db)
  createQueryCompiler = () => new SqliteQueryCompiler()
}

/**
 * A deferred transaction that reads and then writes fails at once if another process wrote in between; an
 * immediate one takes its turn. All writes are such transactions, so this is the one place that waits.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    super({ database: adapt(database) })
    this.#database = database
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await whileBusy(() => connection.executeQuery(CompiledQuery.raw('begin immediate')))
  }

  /** A full disk has rolled back already, and a second time would hide that it was full. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** SQLite's DDL is transactional, and migrations inside an immediate transaction run once. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** The shape Kysely knows, over `node:sqlite`, with statements prepared once. */
function adapt(database: DatabaseSync): SqliteDatabase {
  // Asked while it is open: errors are explained by where it lies, also that it was closed.
  const path = database.location() ?? ''
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    // Whoever opened the database closes it: Kysely does so only if it was used.
    close: () => {},
    prepare(text) {
      const known = statements.get(text)
      if (known) return known
      const statement = translating(path, () => database.prepare(text))
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      const prepared = {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) =>
          translating(path, () => statement.all(...values(parameters))),
        run: (parameters: readonly unknown[]) =>
          translating(path, () => statement.run(...values(parameters))),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
      }
      // Statements whose text varies with the number of values must not pile up.
      if (statements.size >= 200) statements.clear()
      statements.set(text, prepared)
      return prepared
    },
  }
}
