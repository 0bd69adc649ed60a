import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { AppError, cannotWrite } from '../../errors.ts'
import type { Query } from '../sql/reads.ts'
import { isStatementError, toStoreError } from './errors.ts'

export interface PoolLimits {
  readonly connections: number
  /** How long to wait for a connection: a free one of the pool, or a new one. */
  readonly waitMs: number
  readonly statementMs: number
}

/** The server ends a statement that takes too long. If it does not, the statement is given up after this additional time. */
const GRACE_MS = 500
/** How long to wait for the server when closing. It may be gone. */
const CLOSE_MS = 1_000
const IDLE_MS = 5 * 60_000
const INT8 = 20
/** The first ends a statement that takes too long. The second frees the locks of a process that froze in a transaction. */
export const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const
/** The transaction and the locks of a dead client machine stay until the server notices. So it must notice soon. */
const NOTICE_THE_DEAD = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 }
/** A claim may wait for another claim. With a stricter isolation it would fail instead. */
const BEGIN = 'begin isolation level read committed'

export type Pool = ReturnType<typeof openPool>

/** A pool that replaces lost connections. */
export function openPool(
  url: string,
  { connections, waitMs, statementMs }: PoolLimits,
  givenUpMs = statementMs + GRACE_MS,
) {
  const connectionString = withLibpqMeaning(url)
  const options = requireUsable(connectionString)
  const session = createSession(statementMs)
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
      // These are counts and times. A JavaScript number holds them exactly.
      getTypeParser: (type, format) =>
        type === INT8 ? Number : pg.types.getTypeParser(type, format as 'text'),
    },
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    // Settings are sent as a statement, not as parameters of the connection: a pooler refuses unknown parameters. This time
    // is part of `waitMs`.
    onConnect: (client) => session.settle(client, waitMs),
  })
  // An idle connection was lost. The pool has removed it, and the next request gets another.
  pool.on('error', () => {})
  let closed: Promise<void> | undefined
  let onUnwritable = () => {}
  const connect = () => watch(pool, session, () => onUnwritable())
  /** One statement on any connection. */
  const query: Query = async (text, values = [], name = undefined) => {
    const connection = await connect()
    try {
      // Behind a pooler, the next statement may meet a session that was never asked to prepare it.
      const prepared = name !== undefined && !connection.isPooled && { name }
      const statement = { ...prepared, text, values: [...values], rowMode: 'array' }
      return (await connection.query(statement)).rows as unknown[][]
    } finally {
      connection.release()
    }
  }
  return {
    ...{ query, connect },
    /** `options` for sessions, from the address or the environment. */
    options,
    /** How many connections are in use, and how many wait for one. */
    figures: () => ({ used: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    /** `call` is called when nothing could be written. */
    onUnwritable: (call: () => void) => {
      onUnwritable = call
    },
    close: () => {
      closed ??= Promise.race([pool.end(), sleep(CLOSE_MS, undefined, { ref: false })]).then(() => {
        for (const socket of sockets) socket.destroy()
      })
      return closed
    },
  }
}

/**
 * Takes a connection that may be lost while it is in use. If so, it is not put back, no rollback is sent (the server does
 * it), and the loss is not an uncaught error.
 */
async function watch(pool: pg.Pool, session: Session, onUnwritable: () => void) {
  const client = await acquire(pool)
  let lost: Error | undefined
  const lose = (error: Error) => {
    lost ??= error
  }
  client.on('error', lose)
  return {
    /** Whether a pooler is in between. Then each transaction may run in another session. */
    isPooled: session.isPooled(client),
    /** The statement that begins a transaction. */
    begin: session.begin(client),
    async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
      if (lost && statement.text === 'rollback') {
        return { command: 'ROLLBACK', rowCount: 0, rows: [], oid: 0, fields: [] }
      }
      try {
        if (lost) throw lost
        return await client.query(statement)
      } catch (error) {
        if (!isStatementError(error)) lose(error as Error)
        const translated = toStoreError(error)
        if (cannotWrite(translated)) onUnwritable()
        throw translated
      }
    },
    release(discard = false) {
      client.off('error', lose)
      client.release(discard || lost !== undefined)
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

/**
 * A wrong port or a missing certificate is a mistake in the address, not a server that is away. Returns the `options` of the
 * address.
 */
function requireUsable(connectionString: string): string {
  try {
    const { port, connectionParameters } = new pg.Client({ connectionString }) as pg.Client & {
      readonly connectionParameters: { readonly options?: string }
    }
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new Error('the port is not a number from 1 to 65535')
    return connectionParameters.options ?? ''
  } catch (cause) {
    const reason = (cause as Error).message
    throw new AppError('storage_failed', `The address of the database cannot be used: ${reason}.`, { cause })
  }
}

/** Gives `sslmode=require` and others the meaning that PostgreSQL documents. The driver had another one. */
function withLibpqMeaning(address: string): string {
  // If the address has a space, the driver would escape all of it again.
  const url = address.replaceAll(' ', '%20')
  if (!/[?&]sslmode=/.test(url) || /[?&](uselibpqcompat=|sslmode=no-verify)/.test(url)) return url
  return `${url}&uselibpqcompat=true`
}

type Session = ReturnType<typeof createSession>

/** The settings of a session. */
function createSession(statementMs: number) {
  const pooled = new WeakSet<pg.ClientBase>()
  const limits = LIMITS.map((name) => [name, statementMs] as const)
  const settings = [...limits, ...Object.entries(NOTICE_THE_DEAD)]
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ')
  const beginPooled = [BEGIN, ...limits.map(([name, value]) => `set local ${name} = ${value}`)].join('; ')
  return {
    /** Sets them once, in one round trip. Does nothing behind a pooler: other clients use the same session. */
    async settle(client: pg.ClientBase, withinMs: number): Promise<void> {
      // A pooler answers the connecting client itself, with an id that is not a process of the server.
      const { processID } = client as unknown as { processID: number | null }
      const text = `select set_config(name, value, false) from (values ${settings}) as settings (name, value)
                    where pg_backend_pid() = ${processID}`
      const { rows } = await client.query({ text, query_timeout: withinMs } as pg.QueryConfig)
      if (rows.length === 0) pooled.add(client)
    },
    isPooled: (client: pg.ClientBase) => pooled.has(client),
    /** The statement that begins a transaction, with all settings that are not set yet. */
    begin: (client: pg.ClientBase) => (pooled.has(client) ? beginPooled : BEGIN),
  }
}
