import type pg from 'pg'

/** The settings of a session. */
export interface Session {
  /** Sets them once, in one round trip. Does nothing behind a pooler: other clients use the same session. */
  settle(client: pg.ClientBase, withinMs: number): Promise<void>
  isPooled(client: pg.ClientBase): boolean
  /** The statement that begins a transaction, with all settings that are not set yet. */
  begin(client: pg.ClientBase): string
}

/** The first ends a statement that takes too long. The second frees the locks of a process that froze in a transaction. */
export const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const
/** The transaction and the locks of a dead client machine stay until the server notices. So it must notice soon. */
const NOTICE_THE_DEAD = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 }
/** A claim may wait for another claim. With a stricter isolation it would fail instead. */
const BEGIN = 'begin isolation level read committed'

export function createSession(statementMs: number): Session {
  const pooled = new WeakSet<pg.ClientBase>()
  const limits = LIMITS.map((name) => [name, statementMs] as const)
  const settings = [...limits, ...Object.entries(NOTICE_THE_DEAD)]
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ')
  const beginPooled = [BEGIN, ...limits.map(([name, value]) => `set local ${name} = ${value}`)].join('; ')
  return {
    async settle(client, withinMs) {
      // A pooler answers the connecting client itself, with an id that is not a process of the server.
      const { processID } = client as unknown as { processID: number | null }
      const text = `select set_config(name, value, false) from (values ${settings}) as settings (name, value)
                    where pg_backend_pid() = ${processID}`
      const { rows } = await client.query({ text, query_timeout: withinMs } as pg.QueryConfig)
      if (rows.length === 0) pooled.add(client)
    },
    isPooled: (client) => pooled.has(client),
    begin: (client) => (pooled.has(client) ? beginPooled : BEGIN),
  }
}
