import { describe, expect, onTestFinished, test } from 'vitest'
import { openBossQueue } from '../../src/queue/boss.ts'
import { openBossDatabase } from '../../src/store/postgres/boss-database.ts'
import { newRequest } from '../support/captures.ts'
import { asAdmin } from '../support/postgres.ts'
import { makeProject } from '../support/results.ts'
import { usePostgres } from '../support/use-servers.ts'
import { addressOf, bossDriver, LIMITS, SCHEMA } from './boss-driver.ts'
import { openProcess, type Place, queueSuite, SILENT, until } from './queue-suite.ts'

const postgres = usePostgres()
const driver = bossDriver(postgres)

queueSuite('pg-boss', driver)

const jobs = (place: Place) =>
  asAdmin<{ state: string }[]>(
    addressOf(place),
    `select state::text from ${SCHEMA}.job where name = 'captures'`,
  )

describe('pg-boss', () => {
  test('several processes that open it at once on an empty database agree', async () => {
    const place = await driver.newPlace()
    const processes = await Promise.all(Array.from({ length: 4 }, () => openProcess(place)))
    const [{ store, captures }] = processes as [Awaited<ReturnType<typeof openProcess>>]
    const projectId = await makeProject(store)
    await Promise.all(processes.map(({ ask }) => ask(projectId)))
    await until(async () => !(await captures.anyUnfinished()))
    expect(await jobs(place)).toHaveLength(4)
  })

  test('what is not accepted is not in the queue either', async () => {
    const place = await driver.newPlace()
    const { store, captures, queue } = await openProcess(place, { concurrency: 0 })
    const projectId = await makeProject(store)
    const accepting = captures.accept(newRequest(projectId, { pages: 3 }), async (queued, execute) => {
      await queue.also?.(queued, execute)
      expect(await execute(`select 1 from ${SCHEMA}.job where name = $1`, ['captures'])).toHaveLength(3)
      throw new Error('no room')
    })
    await expect(accepting).rejects.toThrow('no room')
    expect(await jobs(place)).toEqual([])
    await captures.accept(newRequest(projectId, { pages: 3 }), queue.also)
    expect(await jobs(place)).toHaveLength(3)
  })

  test('its tables lie beside ours, in a schema of their own', async () => {
    const place = await driver.newPlace()
    await openProcess(place)
    const rows = await asAdmin<{ schemaname: string; tablename: string }[]>(
      addressOf(place),
      `select schemaname, tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    expect(new Set(rows.map(({ schemaname }) => schemaname))).toEqual(new Set(['public', SCHEMA]))
    expect(
      rows.filter(({ schemaname }) => schemaname === 'public').map(({ tablename }) => tablename),
    ).not.toContain('job')
  })

  test('two stores in one database do not take each other’s', async () => {
    const place = await driver.newPlace()
    const names = ['public', 'proofsheet', 'Proof sheet', 'proof_sheet', 'x'.repeat(60), `${'x'.repeat(60)}y`]
    for (const name of names.slice(1)) await asAdmin(addressOf(place), `create schema "${name}"`)
    const processes = await Promise.all(
      names.map((name) => {
        const url = new URL(addressOf(place))
        url.searchParams.set('options', `-c search_path="${name.replaceAll(' ', '\\ ')}"`)
        return openProcess({ ...place, DATABASE_URL: url.href.replaceAll('+', '%20') })
      }),
    )
    await Promise.all(processes.map(async ({ store, ask }) => ask(await makeProject(store), { pages: 4 })))
    for (const { captures } of processes) await until(async () => !(await captures.anyUnfinished()))
  })

  test('a text that fails in the middle of a transaction leaves no connection in it', async () => {
    const { database, release } = await openBossDatabase(addressOf(await driver.newPlace()), LIMITS)
    onTestFinished(release)
    await expect(database.executeSql('begin; select 1 / 0; commit')).rejects.toThrow('division by zero')
    for (let round = 0; round < 5; round++) await database.executeSql('select 1')
  })

  test('goes on after its connections were lost', async () => {
    const place = await driver.newPlace()
    const { store, captures, ask } = await openProcess(place)
    const projectId = await makeProject(store)
    await ask(projectId)
    await until(async () => !(await captures.anyUnfinished()))
    await asAdmin(
      addressOf(place),
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await until(() =>
      ask(projectId).then(
        () => true,
        () => false,
      ),
    )
    await until(async () => !(await captures.anyUnfinished()))
  })

  test('that cannot be opened keeps no connection', async () => {
    const place = await driver.newPlace()
    const { store } = await openProcess(place, { concurrency: 0 })
    const url = new URL(addressOf(place))
    const role = `limited_${url.pathname.slice(1)}`
    await asAdmin(url.href, `drop schema ${SCHEMA} cascade; create role ${role} login password 'secret'`)
    onTestFinished(() => asAdmin(postgresAddress(url), `drop role ${role}`).then(() => {}))
    const limited = Object.assign(new URL(url), { username: role })
    const database = await openBossDatabase(limited.href, LIMITS)
    const work = async () => {}
    const opening = openBossQueue({
      ...database,
      captures: store.captures,
      work,
      concurrency: 1,
      log: SILENT,
    })
    await expect(opening).rejects.toMatchObject({ code: 'storage_failed' })
    const connected = () =>
      asAdmin<unknown[]>(url.href, `select 1 from pg_stat_activity where usename = '${role}'`)
    await until(async () => (await connected()).length === 0)
  })
})

function postgresAddress(url: URL): string {
  return Object.assign(new URL(url), { pathname: '/postgres' }).href
}
