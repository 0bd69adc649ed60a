import type pg from 'pg'

/** What a session has to be told. */
export interface Session {
  /** Says it once, for good, in one round trip. Nothing where a pooler is in between: there it would be others' session. */
  settle(client: pg.ClientBase, withinMs: number): Promise<void>
  isPooled(client: pg.ClientBase): boolean
  /** How a transaction begins: with all that was not said before. */
  begin(client: pg.ClientBase): string
}

/** A statement that takes too long ends; a process that freezes in the middle of a transaction does not keep its locks. */
export const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const
/** A client's machine that died holds its transaction, and its locks, until the server notices. */
const NOTICE_THE_DEAD = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 }
/** Claims are made to meet others': with a stricter isolation they would fail instead of waiting. */
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
      // A pooler answers the connecting client itself, and names a process that is none of the server's.
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
