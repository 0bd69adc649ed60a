import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { AppError } from '../../errors.ts'
import { type Engine, isUpToDate, migrate } from '../sql/migrations.ts'
import type { Schema } from '../sql/schema.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { isStatementError, toStoreError } from './errors.ts'

export interface PoolLimits {
  readonly connections: number
  /** How long to wait for a connection, be it for one's turn or for the server. */
  readonly waitMs: number
  readonly statementMs: number
}

const OLDEST_VERSION = 14
/** Changing the tables may take long. */
const MIGRATION_MS = 10 * 60_000
/** How long to wait for another instance that changes them. */
const MIGRATION_WAIT_MS = 60_000
const MIGRATION_LOCK = 7_238_196_305
/** The server ends a statement that takes too long; one that does not even do that is given up a little later. */
const GRACE_MS = 500
/** For taking leave of a server that may be gone. */
const CLOSE_MS = 1_000
const IDLE_MS = 5 * 60_000
/** A client's machine that died holds its transaction, and its locks, until the server notices. */
const NOTICE_THE_DEAD =
  'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3'
/** Claims are made to meet others': with a stricter isolation they would fail instead of waiting. */
const AS_WE_EXPECT = `${NOTICE_THE_DEAD}; set default_transaction_isolation = 'read committed'`
const INT8 = 20

export async function openPostgresStore(url: string, limits: PoolLimits): Promise<Store> {
  const { db, close } = connect(url, limits)
  try {
    const engine = { id: 'uuid', schema: await requireSuitable(db) } as const
    if (!(await isUpToDate(db, engine))) await bringUpToDate(url, limits, engine)
    return new SqlStore({ read: db, write: db, close })
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * In one transaction, with a lock that ends with it: a pooler in between may give every transaction to another
 * session.
 */
async function bringUpToDate(url: string, limits: PoolLimits, engine: Engine): Promise<void> {
  const { db, close } = connect(url, { ...limits, connections: 1 }, MIGRATION_MS)
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select set_config('statement_timeout', ${String(MIGRATION_MS)}, true),
                       set_config('lock_timeout', ${String(MIGRATION_WAIT_MS)}, true)`.execute(transaction)
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
      await migrate(transaction, engine)
    })
  } finally {
    await close()
  }
}

/** Answers the schema that the tables lie in. */
async function requireSuitable(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ version: number; encoding: string; schema: string | null }>`
    select current_setting('server_version_num')::int / 10000 as version,
           current_setting('server_encoding') as encoding, current_schema() as schema`.execute(db)
  const [{ version, encoding, schema } = { version: 0, encoding: '', schema: null }] = rows
  if (version < OLDEST_VERSION) {
    throw new AppError(
      'storage_failed',
      `PostgreSQL ${OLDEST_VERSION} or newer is needed; this is ${version}.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new AppError('storage_failed', `The database must hold UTF8, not ${encoding}: create it anew.`)
  }
  if (schema === null)
    throw new AppError('storage_failed', 'The schema that search_path names does not exist.')
  return schema
}

function connect(
  url: string,
  { connections, waitMs, statementMs }: PoolLimits,
  givenUpMs = statementMs + GRACE_MS,
) {
  const connectionString = withLibpqMeaning(url)
  requireUsable(connectionString)
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({
    connectionString,
    fallback_application_name: 'proofsheet',
    max: connections,
    connectionTimeoutMillis: waitMs,
    query_timeout: givenUpMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      // Counts and times, all of them within what a number holds exactly.
      getTypeParser: (type, format) =>
        type === INT8 ? Number : pg.types.getTypeParser(type, format as 'text'),
    },
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    // Said and not sent along when connecting: a pooler in between refuses parameters that it does not know.
    onConnect: async (client) => {
      // Part of getting a connection, and so of the time for that.
      const text = `set statement_timeout = ${statementMs}; ${AS_WE_EXPECT}`
      await client.query({ text, query_timeout: waitMs } as pg.QueryConfig)
    },
  })
  // An idle connection that was lost: the pool has forgotten it, and the next request gets another.
  pool.on('error', () => {})
  let closed: Promise<void> | undefined
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: watch(pool) }) }),
    close: () => {
      closed ??= Promise.race([pool.end(), sleep(CLOSE_MS, undefined, { ref: false })]).then(() => {
        for (const socket of sockets) socket.destroy()
      })
      return closed
    },
  }
}

/**
 * The pool as Kysely uses it, but for connections that are lost while someone has them: those are not put back, the
 * rollback that cannot be sent is the server's, and the loss itself is no uncaught error.
 */
function watch(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await acquire(pool)
      let lost: Error | undefined
      const lose = (error: Error) => {
        lost ??= error
      }
      client.on('error', lose)
      return {
        query: (async (text: string, values: readonly unknown[]) => {
          if (lost && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] }
          try {
            if (lost) throw lost
            return await client.query(text, [...values])
          } catch (error) {
            if (!isStatementError(error)) lose(error as Error)
            throw toStoreError(error)
          }
        }) as never,
        release(discard = false) {
          client.off('error', lose)
          client.release(discard || lost !== undefined)
        },
      }
    },
  }
}

async function acquire(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toStoreError(error)
  }
}

/** A port that is none or a certificate that is not there is a mistake of the address, not a server that is away. */
function requireUsable(connectionString: string): void {
  try {
    const { port } = new pg.Client({ connectionString })
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('the port is none')
  } catch (cause) {
    const reason = (cause as Error).message
    throw new AppError('storage_failed', `The address of the database cannot be used: ${reason}.`, { cause })
  }
}

/** `sslmode=require` and its like as PostgreSQL documents them, not as this driver once read them. */
function withLibpqMeaning(address: string): string {
  // The driver would escape the whole address anew where it has a space in it.
  const url = address.replaceAll(' ', '%20')
  if (!/[?&]sslmode=/.test(url) || /[?&](uselibpqcompat=|sslmode=no-verify)/.test(url)) return url
  return `${url}&uselibpqcompat=true`
}
