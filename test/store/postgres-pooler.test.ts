import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/store/postgres/pool.ts'
import { openPostgresStore, queryBuilder } from '../../src/store/postgres/postgres.ts'
import { startService } from '../support/http/service.ts'
import { KEYS } from '../support/servers/keys.ts'
import { asAdmin, dropDatabase } from '../support/servers/postgres.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'
import { usePostgres } from '../support/servers/use-servers.ts'

const LIMITS = { connections: 3, waitMs: 5_000, statementMs: 10_000 }
const SETTINGS = `select array[current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
                               current_setting('transaction_isolation')] as settings`
const server = usePostgres()

/** A database whose default isolation is stricter than ours; directly, and as seen through a pooler. */
async function newDatabase({ ignoresSearchPath = false } = {}) {
  const direct = await server.newEmptyDatabase()
  onTestFinished(() => dropDatabase(direct))
  const name = new URL(direct).pathname.slice(1)
  await asAdmin(direct, `alter database ${name} set default_transaction_isolation = 'repeatable read'`)
  const proxy = await startProxy(server.port, (chunk, from) => {
    if (from === 'server') return withOtherProcess(chunk)
    return ignoresSearchPath ? withoutSearchPath(chunk) : chunk
  })
  onTestFinished(() => proxy.close())
  return { direct, pooled: Object.assign(new URL(direct), { port: String(proxy.port) }).href }
}

/** A pooler sends clients its own numbers in `BackendKeyData`. */
function withOtherProcess(chunk: Buffer): Buffer {
  const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  if (at >= 0) chunk.writeInt32BE(-1, at + 5)
  return chunk
}

/** Replaces a setting by a meaningless one of the same length. */
function withoutSearchPath(chunk: Buffer): Buffer {
  return Buffer.from(chunk.toString('latin1').replace('search_path=', 'nothing.at_='), 'latin1')
}

async function settingsOf(url: string) {
  const pool = openPool(url, LIMITS)
  onTestFinished(() => pool.close())
  const inTransaction = await queryBuilder(pool)
    .transaction()
    .execute((transaction) => sql.raw<{ settings: string[] }>(SETTINGS).execute(transaction))
  return { inTransaction: inTransaction.rows[0]?.settings, outside: (await pool.query(SETTINGS))[0]?.[0] }
}

async function open(url: string) {
  const store = await openPostgresStore(url, LIMITS)
  onTestFinished(() => store.close())
  return store
}

describe('PostgreSQL behind a pooler', () => {
  test('every transaction sets its limits and its isolation, and leaves nothing behind in the session', async () => {
    expect(await settingsOf((await newDatabase()).pooled)).toEqual({
      inTransaction: ['10s', '10s', 'read committed'],
      outside: ['0', '0', 'repeatable read'],
    })
  })

  test('without a pooler, the session has the limits, and a transaction sets its isolation', async () => {
    expect(await settingsOf((await newDatabase()).direct)).toEqual({
      inTransaction: ['10s', '10s', 'read committed'],
      outside: ['10s', '10s', 'repeatable read'],
    })
  })

  test('no statement is prepared, because others share the session', async () => {
    const prepared = async (url: string) => {
      const pool = openPool(url, { ...LIMITS, connections: 1 })
      onTestFinished(() => pool.close())
      await pool.query('select $1::int', [1], 'some_name')
      return await pool.query('select name from pg_prepared_statements')
    }
    const { direct, pooled } = await newDatabase()
    expect([await prepared(pooled), await prepared(direct)]).toEqual([[], [['some_name']]])
  })

  test('missing settings of its role are reported with the statements that add them', async () => {
    const { direct, pooled } = await newDatabase()
    expect((await open(direct)).warnings).toEqual([])
    const [warning = '', ...more] = (await open(pooled)).warnings
    expect(more).toEqual([])
    expect(warning).toContain('no idle_in_transaction_session_timeout and no statement_timeout')
    await asAdmin(direct, warning.slice(warning.indexOf('alter role')))
    expect((await open(pooled)).warnings).toEqual([])
    expect((await settingsOf(pooled)).outside).toEqual(['10s', '10s', 'repeatable read'])
  })

  test('the service logs the missing settings of its role when it starts', async () => {
    const { pooled } = await newDatabase()
    const { logLines } = await startService({ DATABASE_URL: pooled, ...KEYS })
    const warnings = logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    expect(warnings).toMatchObject([{ msg: expect.stringMatching(/^A pooler is in front of the database/) }])
  })

  test('a schema set for the role is used, and one that the pooler ignores is refused with a reason', async () => {
    const { direct, pooled } = await newDatabase({ ignoresSearchPath: true })
    await asAdmin(direct, 'create schema "Our own"')
    const error = await open(`${pooled}?options=-c%20search_path="Our\\%20own"`).catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'AppError', code: 'storage_failed' })
    expect(error.message).toMatch(/ignores `options`.* set search_path = "Our own"$/)
    await asAdmin(direct, error.message.slice(error.message.indexOf('alter role')))
    await open(pooled)
    const tables = `select distinct schemaname from pg_tables where tablename in ('projects', 'kysely_migration')`
    expect(await asAdmin(direct, tables)).toEqual([{ schemaname: 'Our own' }])
  })

  test.each([
    ['unsupported startup parameter: options', /refuses.*: options\).*alter role/],
    ['SASL authentication failed', /refused: SASL/],
    ['database "shots" does not exist', /refused: database "shots"/],
  ])('%s: this refusal is reported as a mistake in the URL', async (words, message) => {
    const refusing = createServer((socket) => {
      const fields = `SFATAL\0C08P01\0M${words}\0\0`
      const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4])
      socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
    })
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => refusing.close(() => resolve())))
    const { port } = refusing.address() as AddressInfo
    await expect(open(`postgres://me@127.0.0.1:${port}/shots`)).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringMatching(message),
    })
  })
})
