import type { SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from '../sql/tables.ts'
import type { Connection } from './connections.ts'
import { type DatabaseFile, translating } from './errors.ts'
import { whileBusy } from './open-database.ts'
import { createStatements } from './statements.ts'

/** Called after each statement that returns no rows. */
export type OnRun = (parameters: readonly SQLInputValue[]) => void

/** Kysely on `node:sqlite`, with what several processes on one file need. */
export function queryBuilder(connection: Connection, file: DatabaseFile, onRun?: OnRun): Kysely<Tables> {
  const dialect: Dialect = {
    createDriver: () => new ImmediateDriver(connection, file, onRun),
    createAdapter: () => new TransactionalDdlAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LocklessCompiler(),
  }
  return new Kysely<Tables>({ dialect })
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

/** One transaction writes at a time, so no row needs a lock, and SQLite has no words for one. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    const isLock = node.modifier === 'ForUpdate' || node.modifier === 'SkipLocked'
    if (!isLock) super.visitSelectModifier(node)
  }
}

/** DDL of SQLite is transactional. Within an immediate transaction, migrations run once. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** `node:sqlite` with the interface that Kysely expects. */
function adapt(connection: Connection, file: DatabaseFile, onRun?: OnRun): SqliteDatabase {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
  const prepare = createStatements(connection, file, (statement) => ({
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => translating(file, () => statement.all(...values(parameters))),
    run(parameters: readonly unknown[]) {
      const result = translating(file, () => statement.run(...values(parameters)))
      onRun?.(values(parameters))
      return result
    },
    iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
  }))
  // `connections.ts` closes the database. Kysely would close it only if it was used.
  return { close: () => {}, prepare }
}
