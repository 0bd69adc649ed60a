import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import { createLimiter } from '../../work/limiter.ts'
import type { Engine } from '../sql/database.ts'
import { isUpToDate, MIGRATION_TABLE, migrate } from '../sql/migrate.ts'
import type { Query } from '../sql/reads.ts'
import { createSqlStore, type Store } from '../sql/sql-store.ts'
import type { Tables } from '../sql/tables.ts'
import { createPostgresBrowsing } from './browsing.ts'
import { LIMITS, openPool, type Pool, type PoolLimits } from './pool.ts'
import { createPostgresReads, keyOf } from './reads.ts'

const OLDEST_VERSION = 14
/** Changing the tables may take long. */
const MIGRATION_MS = 10 * 60_000
/** How long to wait for another instance that changes them. */
const MIGRATION_WAIT_MS = 60_000
const MIGRATION_LOCK = 7_238_196_305
const SKEW_AGAIN_MS = 60_000
/** A smaller difference does no harm: due times need not be exact. */
const HARMLESS_MS = 2_000

export async function openPostgresStore(
  url: string,
  limits: PoolLimits,
  { clock = Date.now } = {},
): Promise<Store> {
  const pool = openPool(url, limits)
  try {
    const schema = await requireSuitable(pool.query)
    const warnings = await findWarnings(pool, limits)
    if (!isUpToDate(await migrationsMade(pool.query, schema)))
      await bringUpToDate(url, limits, { id: 'uuid', page: keyOf('url'), oldVersionRuns: true, schema })
    const db = queryBuilder(pool)
    // Searches use at most half of the connections, so that look-ups need not wait for them.
    const limited = createLimiter(Math.ceil(limits.connections / 2))
    const search: Query = (text, values) => limited(() => pool.query(text, values))
    return createSqlStore({
      reads: createPostgresReads(pool.query),
      browsing: createPostgresBrowsing(pool.query, search),
      database: { read: db, write: db, skew: createClockSkew(pool.query), clock },
      connections: pool.figures,
      warnings,
      writing: {
        // A server that does not allow writing refuses it, though it would change nothing.
        check: async () => void (await pool.query('update identity set value = value where false')),
        onFailure: pool.onUnwritable,
      },
      close: pool.close,
    })
  } catch (error) {
    await pool.close()
    throw error
  }
}

async function findWarnings(pool: Pool, { statementMs }: PoolLimits): Promise<string[]> {
  const { isPooled, release } = await pool.connect()
  release()
  return isPooled ? await checkPooler(pool.query, { statementMs, options: pool.options }) : []
}

async function migrationsMade(query: Query, schema: string): Promise<unknown[]> {
  const there = await query('select 1 from pg_tables where schemaname = $1 and tablename = $2', [
    schema,
    MIGRATION_TABLE,
  ])
  if (there.length === 0) return []
  return (await query(`select name from "${schema.replaceAll('"', '""')}".${MIGRATION_TABLE}`)).flat()
}

/**
 * In one transaction, with a lock that ends with it: behind a pooler, each transaction may run in another session.
 */
async function bringUpToDate(url: string, limits: PoolLimits, engine: Engine): Promise<void> {
  const pool = openPool(url, { ...limits, connections: 1 }, MIGRATION_MS)
  try {
    await queryBuilder(pool)
      .transaction()
      .execute(async (transaction) => {
        await sql`select set_config('statement_timeout', ${String(MIGRATION_MS)}, true),
                         set_config('lock_timeout', ${String(MIGRATION_WAIT_MS)}, true)`.execute(transaction)
        await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
        await migrate(transaction, engine)
      })
  } finally {
    await pool.close()
  }
}

/** Returns the schema of the tables. */
async function requireSuitable(query: Query): Promise<string> {
  const rows = await query(
    `select current_setting('server_version_num')::int / 10000, current_setting('server_encoding'),
            current_schema()`,
  )
  const [[version, encoding, schema] = [0, '', null]] = rows as [number, string, string | null][]
  const unsuitable = (why: string) => new AppError('storage_failed', why)
  if (version < OLDEST_VERSION)
    throw unsuitable(`PostgreSQL ${OLDEST_VERSION} or newer is required; this is ${version}.`)
  if (encoding !== 'UTF8')
    throw unsuitable(`The encoding of the database must be UTF8, not ${encoding}: create it again.`)
  if (schema === null) throw unsuitable('The schema that search_path names does not exist.')
  return schema
}

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

/**
 * How far the clock of the server is ahead of the clock of this machine. It notices when that clock jumps, by comparing it
 * with monotonic time. Other machines read the due times: a wrong clock on one machine must not make them wait.
 */
function createClockSkew(query: Query): () => Promise<number> {
  let known: { readonly ahead: number; readonly at: number } | undefined
  const measure = async () => {
    const before = Date.now()
    const rows = await query('select (extract(epoch from clock_timestamp()) * 1000)::bigint')
    const [[server] = [before]] = rows as [number][]
    const after = Date.now()
    // The server read its clock at some time between `before` and `after`.
    const skew = server < before ? server - before : Math.max(0, server - after)
    const at = performance.now()
    return { ahead: after + skew - at, at }
  }
  return async () => {
    if (!known || performance.now() - known.at > SKEW_AGAIN_MS) known = await measure()
    const ms = Math.round(known.ahead + performance.now()) - Date.now()
    return Math.abs(ms) < HARMLESS_MS ? 0 : ms
  }
}

/** Checks settings that only the role can have behind a pooler: limits for single statements, and the schema. */
async function checkPooler(
  query: Query,
  { statementMs, options }: { statementMs: number; options: string },
): Promise<string[]> {
  const [[alterRole, searchPath] = ['', '']] = (await query(
    `select format('alter role %I in database %I set', session_user, current_database()), current_setting('search_path')`,
  )) as [string, string][]
  const asked = searchPathIn(options)
  if (asked !== undefined && asked !== searchPath) {
    throw new AppError(
      'storage_failed',
      `The pooler in front of the database ignores \`options\` in its address, and with them the schema. Remove them, and set the schema for the role: ${alterRole} search_path = ${asked}`,
    )
  }
  const rows = await query(`select name from pg_settings where name = any ($1) and reset_val = '0'`, [LIMITS])
  if (rows.length === 0) return []
  const missing = rows.flat().join(' and no ')
  const mended = rows.map(([name]) => `${alterRole} ${name} = '${statementMs}ms'`).join('; ')
  return [
    `A pooler is in front of the database, and its role has no ${missing}: a single statement that takes too long continues although no client waits for it. Set it for the role, and let the pooler connect again: ${mended}`,
  ]
}

/** Parses like the server: a backslash escapes a space, and the last value counts. */
function searchPathIn(options: string): string | undefined {
  const [, value] = [...options.matchAll(/(?:-c\s*|--)search_path=((?:\\.|[^\\\s])+)/g)].at(-1) ?? []
  return value?.replaceAll(/\\(.)/g, '$1')
}
