import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
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
import { makeDurableFolder, syncFolder } from '../../durable-folder.ts'
import { AppError } from '../../errors.ts'
import { migrate } from '../sql/migrations.ts'
import type { Schema } from '../sql/schema.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { translating } from './errors.ts'

/** How long a writer waits for another process's transaction. Readers never wait in WAL mode. */
const BUSY_TIMEOUT_MS = 5_000
/** SQLite would wait by blocking the thread, and with it every request; so it is not to wait, and we ask again. */
const RETRY_MS = 10
/** A burst of writes may grow the WAL; a checkpoint cuts the file back to this. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024

/** Two connections: while a root is being published inside a write transaction, requests go on reading. */
export async function openSqliteStore(path: string): Promise<Store> {
  await makeDurableFolder(dirname(path))
  // Made here and not by SQLite, so that it is its owner's alone; the log beside it takes over the mode.
  await (await open(path, 'a', 0o600)).close()
  await syncFolder(dirname(path))
  const opened: DatabaseSync[] = []
  const close = async () => {
    for (const database of opened.splice(0)) database.close()
  }
  const connect = async () => {
    // Whoever is first turns the log on, and SQLite does not wait for that by itself.
    const database = await whileBusy(async () => openDatabase(path))
    opened.push(database)
    return new Kysely<Schema>({ dialect: new NodeSqliteDialect(database) })
  }
  try {
    const write = await connect()
    await migrate(write, { id: 'text' })
    opened[0]?.exec('pragma busy_timeout = 0')
    return new SqlStore({ read: await connect(), write, close })
  } catch (error) {
    await close()
    throw error
  }
}

/** Asks again and again, and lets others work in between. */
async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const busy = error instanceof AppError && error.code === 'unavailable'
      if (!busy || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}

/** One connection, with everything that matters said and nothing left to SQLite's defaults. */
export function openDatabase(path: string): DatabaseSync {
  return translating(path, () => {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    try {
      database.exec(
        `pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = ${BUSY_TIMEOUT_MS};
         pragma foreign_keys = on; pragma journal_size_limit = ${WAL_KEPT_BYTES}`,
      )
      const mode = database.prepare('pragma journal_mode').get()?.['journal_mode']
      if (mode !== 'wal')
        throw new AppError('storage_failed', `${path}: this file system cannot hold a database (${mode})`)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
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
