import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { CaptureTask } from '../../src/store/captures.ts'
import { openPool } from '../../src/store/postgres/pool.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres.ts'
import type { Store } from '../../src/store/store.ts'
import { useEmptied } from '../support/servers/emptied-databases.ts'
import {
  asAdmin,
  beside,
  dropDatabase,
  endSessions,
  isPooled,
  setDefault,
  startPostgres,
  type TestPostgres,
} from '../support/servers/postgres.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { newRequest, somePages } from '../support/store/captures.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import { seedPostgresRows } from '../support/store/seed.ts'
import { BEFORE_ADMIN_KEYS, expectKeysStay } from './before-admin-keys.ts'
import { BEFORE_LIFE, captureBeforeLife, expectLives, NOT_WRITTEN } from './before-life.ts'
import { askAsBefore, BEFORE_OPTIONS, expectAsked } from './before-options.ts'
import { BEFORE_SEEN, captureBeforeSeen, expectOnlyCut } from './before-seen.ts'
import { askBeforeTurns, BEFORE_TURNS, expectAllTaken, UNCOUNTED } from './before-turns.ts'
import { browsingSuite } from './browsing-suite.ts'
import { capturesSuite } from './captures-suite.ts'
import { deliveringSuite } from './delivering-suite.ts'
import { lifeSuite } from './life-suite.ts'
import { ownedSuite } from './owned-suite.ts'
import { removalSuite } from './removal-suite.ts'
import { removedSecretsSuite } from './removed-secrets-suite.ts'
import { scheduledRootsSuite } from './scheduled-roots-suite.ts'
import { schedulesSuite } from './schedules-suite.ts'
import { secretsSuite } from './secrets-suite.ts'
import { seenSuite } from './seen-suite.ts'
import { storeSuite } from './store-suite.ts'
import { webhooksSuite } from './webhooks-suite.ts'

const LIMITS = { connections: 10, waitMs: 5_000, statementMs: 10_000 }
const databases = useDatabases()
const driver = {
  async newPlace() {
    const url = await databases.newEmptyDatabase()
    onTestFinished(() => dropDatabase(url))
    return url
  },
  async open(url: string, options?: { clock?: () => number }) {
    const store = await openPostgresStore(url, LIMITS, options)
    onTestFinished(() => store.close())
    return store
  },
}

/** Tables are already there: creating them takes longer than most of the tests. */
const withTables = { ...driver, newEmptyPlace: driver.newPlace, newPlace: useEmptied(databases) }

storeSuite('PostgreSQL', withTables)
capturesSuite('PostgreSQL', withTables)
browsingSuite('PostgreSQL', withTables)
seenSuite('PostgreSQL', withTables)
lifeSuite('PostgreSQL', withTables)
removalSuite('PostgreSQL', withTables)
scheduledRootsSuite('PostgreSQL', withTables)
schedulesSuite('PostgreSQL', withTables)
webhooksSuite('PostgreSQL', withTables)
deliveringSuite('PostgreSQL', withTables)
ownedSuite('PostgreSQL', withTables)
const rows = (url: string, statement: string) => asAdmin<Record<string, unknown>[]>(url, statement)
secretsSuite('PostgreSQL', withTables, rows)
removedSecretsSuite('PostgreSQL', withTables, rows)
function withSetting(address: string, setting: string): string {
  const url = new URL(address)
  url.searchParams.set('options', `-c ${setting}`)
  return url.href.replaceAll('+', '%20')
}

describe('PostgreSQL', () => {
  test('looking up a root does not wait for browsing all of them', async () => {
    const url = await driver.newPlace()
    const store = await openPostgresStore(url, { ...LIMITS, connections: 2 })
    onTestFinished(() => store.close())
    const projectId = await makeProject(store)
    await seedPostgresRows(url, projectId, { roots: 20, jobsPerRoot: 200 })
    const rootIds = (await store.pageRoots(projectId, { limit: 20 })).map(({ rootId }) => rootId)
    let answered = 0
    const looks = Array.from({ length: 40 }, async (_, index) => {
      const q = 'nowhere'
      if (index % 2) await store.browsing.matching(projectId, rootIds, { q })
      else await store.browsing.nextPages(projectId, { limit: 500, q })
      answered++
    })
    expect(await store.findRoot(projectId, rootIds[0] ?? '')).toBeDefined()
    expect(answered).toBeLessThan(10)
    await Promise.all(looks)
  })

  test('a process that freezes during a transaction does not keep its locks', async () => {
    const url = await driver.newPlace()
    const brief = { ...LIMITS, statementMs: 1_000 }
    const other = await driver.open(url)
    const projectId = await makeProject(other)
    await other.captures.accept(newRequest(projectId))
    const frozen = openPool(url, brief)
    onTestFinished(() => frozen.close())
    // It locks the rows that every request and every worker needs, and then freezes.
    const connection = await frozen.connect()
    for (const text of [connection.begin, 'update turns set used = 0', 'update projects set name = name'])
      await connection.query({ text })
    const request = newRequest(projectId)
    expect(await other.captures.accept(request)).toBe(request.rootId)
    expect(await other.captures.takeNext({ now: Date.now(), leaseMs: 1 })).toBeDefined()
    expect(await other.pageRoots(projectId, { limit: 10 })).toHaveLength(2)
    connection.release(true)
  })

  test('a schema newer than the code is refused with a reason, and not changed', async () => {
    const url = await driver.newPlace()
    await (await driver.open(url)).close()
    await asAdmin(url, `insert into kysely_migration (name, timestamp) values ('9999-later', 'x')`)
    await expect(openPostgresStore(url, LIMITS)).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('newer version of proofsheet'),
    })
  })

  test('a store without the indexes for browsing gets them and keeps its data', async () => {
    const url = await driver.newPlace()
    const before = await driver.open(url)
    const projectId = await makeProject(before)
    const rootId = await addRows(before, projectId, { jobs: 3 })
    await before.close()
    await asAdmin(
      url,
      `${BEFORE_OPTIONS.PostgreSQL} ${BEFORE_SEEN} drop index projects_oldest_first; drop index jobs_of_page; drop index captures_unfinished;
       delete from kysely_migration where name = '0004-browsing'`,
    )
    const { browsing } = await driver.open(url)
    expect((await browsing.firstTexts(projectId, [rootId], { limit: 2 })).get(rootId)).toHaveLength(2)
    const names = await asAdmin<{ indexname: string }[]>(url, 'select indexname from pg_indexes')
    expect(names.map(({ indexname }) => indexname)).toEqual(
      expect.arrayContaining(['projects_oldest_first', 'jobs_of_page', 'captures_unfinished']),
    )
  })

  test('captures older than `seen` keep their mark `cut`', async () => {
    const url = await driver.newPlace()
    const before = await driver.open(url)
    const asked = await captureBeforeSeen(before)
    await before.close()
    await asAdmin(url, BEFORE_OPTIONS.PostgreSQL + BEFORE_SEEN)
    await expectOnlyCut(await driver.open(url), asked)
  })

  test('keys older than admin keys stay as they are', async () => {
    const place = await withTables.newPlace()
    await expectKeysStay(
      () => driver.open(place),
      () => asAdmin(place, BEFORE_ADMIN_KEYS.PostgreSQL),
    )
  })

  test.each([
    ['was finished before that was recorded', BEFORE_LIFE.PostgreSQL, { at: 2_001, told: 0 }],
    ['another version finished meanwhile', NOT_WRITTEN, { at: 5_000, told: 3 }],
  ])('a root that %s is finished', async (_, statements, expected) => {
    const url = await withTables.newPlace()
    const before = await driver.open(url)
    const asked = await captureBeforeLife(before)
    await before.close()
    await asAdmin(url, statements)
    await expectLives(await driver.open(url), asked, expected)
  })

  test.each([
    ['was queued before there were turns', BEFORE_OPTIONS.PostgreSQL + BEFORE_TURNS],
    ['is not counted yet', UNCOUNTED],
  ])('a capture that %s is taken', async (_, statements) => {
    const url = await withTables.newPlace()
    const before = await driver.open(url)
    await askBeforeTurns(before)
    await before.close()
    await asAdmin(url, statements)
    await expectAllTaken(await driver.open(url))
  })

  test('requests older than options as one value are captured and found as before', async () => {
    const url = await withTables.newPlace()
    const before = await driver.open(url)
    const projectId = await makeProject(before)
    await before.close()
    const { rootIds, statements } = askAsBefore(projectId)
    await asAdmin(url, BEFORE_OPTIONS.PostgreSQL + statements)
    await expectAsked(await driver.open(url), projectId, rootIds)
  })

  test('a page that the previous version ends or removes takes its secrets with it', async () => {
    const url = await withTables.newPlace()
    const store = await driver.open(url)
    const pages = somePages(3).map((page) => ({ ...page, sealed: '1.k1.x' }))
    await store.captures.accept({ ...newRequest(await makeProject(store)), pages })
    await asAdmin(url, `update captures set state = 'running', lease = 5 where position < 2`)
    expect(await rows(url, 'select 1 from secrets')).toHaveLength(3)
    await asAdmin(url, `update captures set state = 'failed', finished = 7, lease = null where position = 0`)
    expect(await rows(url, 'select 1 from secrets')).toHaveLength(2)
    await asAdmin(url, 'delete from captures')
    expect(await rows(url, 'select 1 from secrets')).toEqual([])
  })

  test('the previous version can run on the same tables: each understands the requests of the other', async () => {
    const url = await withTables.newPlace()
    const store = await driver.open(url)
    const projectId = await makeProject(store)
    const { rootIds, statements } = askAsBefore(projectId)
    await asAdmin(url, statements)
    await expectAsked(store, projectId, rootIds)
    const tags = ['a "b" \\']
    const options = { width: 390, height: 844, fullPage: true, tags, failOn: 'status' as const }
    const rootId = await store.captures.accept(newRequest(projectId, { options }))
    const columns = `select width, height, full_page, tags::jsonb, fail_on from requests where root_id = '${rootId}'`
    expect(await asAdmin(url, columns)).toEqual([
      { width: 390, height: 844, full_page: 1, tags, fail_on: 'status' },
    ])
    const plain = await store.captures.accept(newRequest(projectId, { options: { fullPage: false } }))
    expect(
      await asAdmin(url, `select full_page, tags, fail_on from requests where root_id = '${plain}'`),
    ).toEqual([{ full_page: 0, tags: '[]', fail_on: null }])
  })

  test.each([
    ['goes wrong', async () => {}],
    // Before the jump, the store has seen that the clocks agree.
    ['jumps', async ({ captures }: Store) => void (await captures.takeNext({ now: Date.now(), leaseMs: 1 }))],
  ])('a capture put back with a clock that %s is due for others in time', async (_, before) => {
    const url = await withTables.newPlace()
    const [right, wrong] = [await driver.open(url), await driver.open(url)]
    const projectId = await makeProject(right)
    await before(wrong)
    const real = Date.now
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => real() + 30_000)
    onTestFinished(() => ahead.mockRestore())
    await wrong.captures.accept(newRequest(projectId))
    const task = (await wrong.captures.takeNext({ now: Date.now(), leaseMs: 1 })) as CaptureTask
    await wrong.captures.putBack(task, { now: Date.now(), due: Date.now() + 10_000, counts: true })
    ahead.mockRestore()
    expect(await right.captures.takeNext({ now: Date.now(), leaseMs: 1 })).toBeUndefined()
    expect(await right.captures.takeNext({ now: Date.now() + 15_000, leaseMs: 1 })).toBeDefined()
  })

  test.for([
    {
      by: 'its role',
      throughPoolers: true,
      withSchema: async (url: string, schema: string) => {
        await setDefault(url, `search_path = ${schema}`)
        return url
      },
    },
    {
      by: 'the URL',
      throughPoolers: false,
      withSchema: async (url: string, schema: string) => withSetting(url, `search_path=${schema}`),
    },
  ])(
    'a schema of its own by $by works beside others and beside tables of the same names',
    async ({ withSchema, throughPoolers }, { skip }) => {
      const url = await driver.newPlace()
      skip(!throughPoolers && (await isPooled(url)), 'poolers refuse `options` in the address')
      await asAdmin(
        url,
        'create schema ours; create table projects (x int); create table kysely_migration (x int)',
      )
      const ours = await withSchema(url, 'ours')
      const projectId = await makeProject(await driver.open(ours))
      expect(await (await driver.open(ours)).findProject(projectId)).toBeDefined()
      await expect(openPostgresStore(await withSchema(url, 'nowhere'), LIMITS)).rejects.toMatchObject({
        code: 'storage_failed',
        message: 'The schema that search_path names does not exist.',
      })
    },
  )

  test('a database that cannot hold every character is refused with a reason', async () => {
    const url = await driver.newPlace()
    const name = new URL(url).pathname.slice(1)
    await dropDatabase(url)
    await asAdmin(beside(url), `create database ${name} template template0 encoding 'LATIN1' locale 'C'`)
    await expect(openPostgresStore(url, LIMITS)).rejects.toThrow('must be UTF8, not LATIN1')
  })

  test.each([
    ['another password', (url: URL) => Object.assign(url, { password: 'wrong' }), 'storage_failed'],
    ['no such database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), 'storage_failed'],
    ['an invalid port', (url: URL) => Object.assign(url, { search: '?port=99999' }), 'storage_failed'],
    ['no server', (url: URL) => Object.assign(url, { port: '1' }), 'unavailable'],
    ['no such host', (url: URL) => Object.assign(url, { hostname: 'nowhere.invalid' }), 'unavailable'],
    [
      'a missing certificate',
      (url: URL) => Object.assign(url, { search: '?sslmode=verify-full&sslrootcert=/nowhere.pem' }),
      'storage_failed',
    ],
  ])('%s is a typed error without the password', async (_, change, code) => {
    const place = await driver.newPlace()
    const url = change(new URL(place)).href
    const error = await openPostgresStore(url, LIMITS).catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'AppError', code })
    for (const password of ['wrong', new URL(place).password])
      expect(`${error.message} ${error.stack}`).not.toContain(password)
  })

  test('while one root is published, others can be added to the same project', async () => {
    const store = await driver.open(await driver.newPlace())
    const projectId = await makeProject(store)
    const release = Promise.withResolvers<void>()
    const slow = store.addRoot(
      { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [] },
      () => release.promise,
    )
    for (let index = 0; index < 5; index++) await addRows(store, projectId)
    release.resolve()
    expect(await slow).toBe('added')
    expect(await store.pageRoots(projectId, { limit: 10 })).toHaveLength(6)
  })

  test('roots that claim each other’s jobs end in conflicts, not in deadlocks', async () => {
    const store = await driver.open(await driver.newPlace())
    const projectId = await makeProject(store)
    // More than fit into one statement: only then can two of them hold locks that the other needs.
    const uuids = Array.from({ length: 1_500 }, () => randomUUID())
    const job = (uuid: string) => ({
      uuid,
      url: 'https://example.com/',
      name: '',
      loadingTime: 0,
      created: 1,
      basepath: '',
      width: 1,
      height: 1,
    })
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const jobs = (index % 2 === 0 ? uuids : uuids.toReversed()).map(job)
        const root = { projectId, rootId: randomUUID(), created: 1, digest: String(index), jobs }
        return store.addRoot(root, async () => {}).catch((error) => error.code)
      }),
    )
    expect(outcomes.toSorted()).toEqual(['added', ...Array.from({ length: 7 }, () => 'conflict')])
  })

  test('losing connections while a root is published does no harm', async () => {
    const url = await driver.newPlace()
    const store = await driver.open(url)
    const projectId = await makeProject(store)
    const root = { projectId, rootId: randomUUID(), created: 1, digest: 'd', jobs: [] }
    const adding = store.addRoot(root, async () => {
      await endSessions(url)
      // Until the store has noticed it, too.
      for (let turn = 0; turn < 5; turn++) await sleep(50)
    })
    expect(await adding).toBe('added')
  })

  test('losing a connection during a transaction is `unavailable`, and nothing is written', async () => {
    const url = await driver.newPlace()
    const store = await driver.open(url)
    const projectId = await makeProject(store)
    await asAdmin(
      url,
      `create function die() returns trigger language plpgsql as
         'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';
       create trigger die before insert on jobs for each row execute function die()`,
    )
    await expect(addRows(store, projectId)).rejects.toMatchObject({ code: 'unavailable' })
    await asAdmin(url, 'drop trigger die on jobs')
    expect(await store.pageRoots(projectId, { limit: 1 })).toEqual([])
    await addRows(store, projectId)
  })

  test('a read-only server, such as a replica, is read; writing is refused', async () => {
    const url = await driver.newPlace()
    const writable = await driver.open(url)
    const projectId = await makeProject(writable)
    const rootId = await addRows(writable, projectId)
    await setDefault(url, 'default_transaction_read_only = on')
    const replica = await driver.open(url)
    expect(await replica.findRoot(projectId, rootId)).toBeDefined()
    await expect(addRows(replica, projectId)).rejects.toMatchObject({ code: 'read_only' })
  })

  test('a connection that the server has ended is not used again', async () => {
    const url = await driver.newPlace()
    for (let round = 0; round < 10; round++) {
      const store = await openPostgresStore(url, { ...LIMITS, connections: 1 })
      const other = new pg.Client(url)
      await other.connect()
      await other.query('begin; lock table projects in access exclusive mode')
      const [ended, next] = [store.listProjects(), store.listKeys()].map((answer) =>
        answer.catch((error) => error.code),
      )
      const heldUp = () =>
        asAdmin<unknown[]>(
          url,
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      while ((await heldUp()).length === 0) await sleep(5)
      await other.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      )
      await other.query('rollback')
      expect([await ended, await next]).toEqual(['unavailable', []])
      await other.end()
      await store.close()
    }
  })

  test.each(['serializable', 'repeatable read'])(
    'roots are added concurrently even if %s is the default',
    async (level) => {
      const url = await driver.newPlace()
      await setDefault(url, `default_transaction_isolation = '${level}'`)
      const store = await driver.open(url)
      const projectId = await makeProject(store)
      await Promise.all(Array.from({ length: 8 }, () => addRows(store, projectId)))
      expect(await store.pageRoots(projectId, { limit: 10 })).toHaveLength(8)
    },
  )

  test('closing does not wait for an unreachable server', async ({ skip }) => {
    const url = new URL(await driver.newPlace())
    skip(!['127.0.0.1', 'localhost'].includes(url.hostname), 'the proxy only leads to this machine')
    const proxy = await startProxy(Number(url.port || 5432))
    onTestFinished(() => proxy.close())
    url.port = String(proxy.port)
    const store = await openPostgresStore(url.href, LIMITS)
    const hanging = Array.from({ length: 3 }, () => store.check())
    await Promise.all(hanging)
    proxy.mode = 'swallow'
    const pending = store.check().catch((error) => error.code)
    await store.close()
    expect(await pending).toBe('unavailable')
  })

  test('every connection has a time limit and keep-alive settings', async ({ skip }) => {
    const url = await driver.newPlace()
    skip(await isPooled(url), 'through a pooler transactions say it')
    const pool = openPool(url, LIMITS)
    onTestFinished(() => pool.close())
    const settings = `select current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
                             current_setting('tcp_keepalives_idle')`
    const answers = await Promise.all(Array.from({ length: 3 }, () => pool.query(settings)))
    expect(answers.flat()).toEqual(Array.from({ length: 3 }, () => ['10s', '10s', '30']))
  })
})

describe('PostgreSQL over TLS', () => {
  const file = (name: string) => fileURLToPath(new URL(`../support/servers/tls/${name}`, import.meta.url))
  let secure: TestPostgres
  beforeAll(async () => {
    secure = await startPostgres({ tls: true, flags: ['fsync=off'] })
  })
  afterAll(() => secure.close())

  const connect = async (parameters: string) => {
    const url = (await secure.newDatabase()).replace('sslmode=no-verify', parameters)
    const store = await openPostgresStore(url, LIMITS)
    onTestFinished(() => store.close())
    await store.check()
    return 'connected'
  }

  test.each([
    'sslmode=require',
    'sslmode=no-verify',
    `sslmode=verify-ca&sslrootcert=${file('ca.pem')}`,
    `sslmode=verify-full&sslrootcert=${file('ca.pem')}`,
    `sslrootcert=${file('ca.pem')}&uselibpqcompat=true&sslmode=verify-full`,
  ])('%s connects', async (parameters) => {
    expect(await connect(parameters)).toBe('connected')
  })

  test.each([
    ['sslmode=disable', /no encryption|pg_hba/],
    ['application_name=x', /no encryption|pg_hba/],
    ['sslmode=verify-full', /self-signed|unable to (get|verify)/],
    [`sslmode=verify-full&sslrootcert=${file('other-ca.pem')}`, /unable to (get|verify)|self-signed/],
    [`sslmode=require&sslrootcert=${file('other-ca.pem')}`, /unable to (get|verify)|self-signed/],
  ])('%s is refused', async (parameters, reason) => {
    await expect(connect(parameters)).rejects.toMatchObject({
      name: 'AppError',
      message: expect.stringMatching(reason),
    })
  })
})
