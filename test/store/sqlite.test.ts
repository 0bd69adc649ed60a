import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/open-database.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { workDone } from '../support/runner/patience.ts'
import { newRequest } from '../support/store/captures.ts'
import { placeTables } from '../support/store/place-tables.ts'
import { addRows, makeProject } from '../support/store/results.ts'
import { seedRows } from '../support/store/seed.ts'
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

const driver = {
  newPlace: async () => join(await makeFolder(), 'nested', 'store.db'),
  async open(path: string, options?: { clock?: () => number }) {
    const store = await openSqliteStore(path, options)
    onTestFinished(() => store.close())
    return store
  },
}

/** Tables are already there: creating them takes longer than most of the tests. */
const withTables = {
  ...driver,
  newEmptyPlace: driver.newPlace,
  newPlace: async () => placeTables(await driver.newPlace()),
}

storeSuite('SQLite', withTables)
capturesSuite('SQLite', withTables)
browsingSuite('SQLite', withTables)
seenSuite('SQLite', withTables)
lifeSuite('SQLite', withTables)
removalSuite('SQLite', withTables)
scheduledRootsSuite('SQLite', withTables)
schedulesSuite('SQLite', withTables)
webhooksSuite('SQLite', withTables)
deliveringSuite('SQLite', withTables)
ownedSuite('SQLite', withTables)
const rows = async (path: string, statement: string): Promise<Record<string, unknown>[]> => {
  const database = new DatabaseSync(path)
  const found = database.prepare(statement).all()
  database.close()
  return found
}
secretsSuite('SQLite', withTables, rows)
removedSecretsSuite('SQLite', withTables, rows)

describe('SQLite', () => {
  test('connections get one set of pragmas and nothing else', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec')
    onTestFinished(() => exec.mockRestore())
    const store = await driver.open(await driver.newPlace())
    await addRows(store, await makeProject(store))
    const said = exec.mock.calls.map(([text]) => text)
    const pragmas = said[0] ?? ''
    expect(pragmas).toContain('synchronous = full')
    // For reading, creating the tables, and writing.
    expect(said).toEqual([pragmas, pragmas, pragmas, 'pragma busy_timeout = 0'])
  })

  test('every connection uses the write-ahead log, syncs each commit, waits its turn and checks references', async () => {
    const database = openDatabase({ path: join(await makeFolder(), 'store.db'), damage: undefined })
    onTestFinished(() => database.close())
    const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
    expect(
      ['journal_mode', 'synchronous', 'busy_timeout', 'foreign_keys', 'cell_size_check'].map(pragma),
    ).toEqual(['wal', 2, 5_000, 1, 1])
  })

  test('two processes that start together on a fresh folder both succeed', async () => {
    const path = await driver.newPlace()
    const script = `
      const { openSqliteStore } = await import(${JSON.stringify(new URL('../../src/store/sqlite/sqlite.ts', import.meta.url).href)})
      const store = await openSqliteStore(${JSON.stringify(path)})
      await store.check()
      await store.close()`
    const ends = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const process_ = start(process.execPath, ['--input-type=module', '-e', script])
        return [(await process_.ended).code, process_.stderr()]
      }),
    )
    expect(ends).toEqual(Array.from({ length: 4 }, () => [0, '']))
  })

  test('a schema newer than the code is refused with a reason', async () => {
    const path = await driver.newPlace()
    await (await driver.open(path)).close()
    const database = new DatabaseSync(path)
    database.exec(`insert into kysely_migration (name, timestamp) values ('9999-later', 'x')`)
    database.close()
    await expect(openSqliteStore(path)).rejects.toThrow('newer version of proofsheet')
  })

  test('a store of the first version is migrated and keeps its data', async () => {
    const path = await driver.newPlace()
    const before = await driver.open(path)
    const projectId = await makeProject(before)
    const rootId = await addRows(before, projectId, { jobs: 3 })
    await before.close()
    const database = new DatabaseSync(path)
    database.exec(
      `drop index projects_oldest_first; drop index jobs_of_page; alter table jobs drop column picture;
       alter table projects drop column last_event; alter table projects drop column removed;
       alter table projects drop column last_removal; drop table events;
       drop table ended_sessions; drop table session_days; drop table deliveries; drop table webhooks; drop table schedules; drop table templates; drop table identity; drop table times; drop table turns; drop table secrets;
       drop table captures; drop table requests; drop index roots_claimed;
       alter table roots drop column claimed; alter table roots drop column claimers;
       delete from kysely_migration where name <> '0001-results'`,
    )
    database.close()
    const after = await driver.open(path)
    expect(await after.findRoot(projectId, rootId)).toMatchObject({ jobCount: 3 })
    await addRows(after, projectId)
    expect(await after.pageRoots(projectId, { limit: 10 })).toHaveLength(2)
  })

  test('a store without the indexes for browsing gets them and keeps its data', async () => {
    const path = await driver.newPlace()
    const before = await driver.open(path)
    const projectId = await makeProject(before)
    const rootId = await addRows(before, projectId, { jobs: 3 })
    const asked = await before.captures.accept(newRequest(projectId, { pages: 2 }))
    await before.close()
    const database = new DatabaseSync(path)
    database.exec(
      `${BEFORE_OPTIONS.SQLite} ${BEFORE_SEEN} drop index projects_oldest_first; drop index jobs_of_page; drop index captures_unfinished;
       delete from kysely_migration where name = '0004-browsing'`,
    )
    database.close()
    const { browsing } = await driver.open(path)
    expect((await browsing.firstTexts(projectId, [rootId], { limit: 2 })).get(rootId)).toHaveLength(2)
    expect((await browsing.requestsOf(projectId, [asked])).get(asked)?.counts).toMatchObject({ queued: 2 })
    const indexes = new DatabaseSync(path)
    onTestFinished(() => indexes.close())
    const names = indexes
      .prepare(`select name from sqlite_schema where type = 'index' and sql is not null`)
      .all()
    expect(names.map((row) => row['name'])).toEqual(
      expect.arrayContaining(['projects_oldest_first', 'jobs_of_page', 'captures_unfinished']),
    )
  })

  test('captures older than `seen` keep their mark `cut`', async () => {
    const path = await driver.newPlace()
    const before = await driver.open(path)
    const asked = await captureBeforeSeen(before)
    await before.close()
    const database = new DatabaseSync(path)
    database.exec(BEFORE_OPTIONS.SQLite + BEFORE_SEEN)
    database.close()
    await expectOnlyCut(await driver.open(path), asked)
  })

  test('keys older than admin keys stay as they are', async () => {
    const place = await driver.newPlace()
    await expectKeysStay(
      () => driver.open(place),
      () => {
        const database = new DatabaseSync(place)
        database.exec(BEFORE_ADMIN_KEYS.SQLite)
        database.close()
      },
    )
  })

  test.each([
    ['was finished before that was recorded', BEFORE_LIFE.SQLite, { at: 2_001, told: 0 }],
    ['another version finished meanwhile', NOT_WRITTEN, { at: 5_000, told: 3 }],
  ])('a root that %s is finished', async (_, statements, expected) => {
    const path = await driver.newPlace()
    const before = await driver.open(path)
    const asked = await captureBeforeLife(before)
    await before.close()
    const database = new DatabaseSync(path)
    database.exec(statements)
    database.close()
    await expectLives(await driver.open(path), asked, expected)
  })

  test.each([
    ['was queued before there were turns', BEFORE_OPTIONS.SQLite + BEFORE_TURNS],
    ['is not counted yet', UNCOUNTED],
  ])('a capture that %s is taken', async (_, statements) => {
    const path = await driver.newPlace()
    const before = await driver.open(path)
    await askBeforeTurns(before)
    await before.close()
    const database = new DatabaseSync(path)
    database.exec(statements)
    database.close()
    await expectAllTaken(await driver.open(path))
  })

  test('requests older than options as one value are captured and found as before', async () => {
    const path = await driver.newPlace()
    const before = await driver.open(path)
    const projectId = await makeProject(before)
    await before.close()
    const { rootIds, statements } = askAsBefore(projectId)
    const database = new DatabaseSync(path)
    database.exec(BEFORE_OPTIONS.SQLite + statements)
    database.close()
    await expectAsked(await driver.open(path), projectId, rootIds)
  })

  test('the process continues between the steps of many simultaneous searches', async () => {
    const dataDir = await makeFolder()
    const projectId = await seedRows(dataDir, { roots: 10, jobsPerRoot: 500 })
    const { browsing, pageRoots } = await driver.open(join(dataDir, 'proofsheet.db'))
    const rootIds = (await pageRoots(projectId, { limit: 10 })).map(({ rootId }) => rootId)
    const looks: (() => Promise<unknown>)[] = [
      () => browsing.matching(projectId, rootIds, { q: 'nowhere' }),
      () => browsing.firstTexts(projectId, rootIds, { limit: 12, q: 'nowhere' }),
      () => browsing.nextPages(projectId, { limit: 500, q: 'nowhere' }),
    ]
    for (const look of looks) {
      let longest = 0
      let before = workDone()
      let looking = true
      const watch = () => {
        longest = Math.max(longest, workDone() - before)
        before = workDone()
        if (looking) setImmediate(watch)
      }
      setImmediate(watch)
      await Promise.all(Array.from({ length: 12 }, look))
      looking = false
      expect(longest).toBeLessThan(60)
    }
  })

  test('a file that is not a database is `storage_failed`', async () => {
    const path = join(await makeFolder(), 'store.db')
    await writeFile(path, 'not a database, and long enough to have a header of one hundred bytes'.repeat(5))
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'storage_failed' })
  })

  test('a store opens and can be read while another process writes', async () => {
    const path = await driver.newPlace()
    const projectId = await makeProject(await driver.open(path))
    const other = new DatabaseSync(path)
    onTestFinished(() => other.close())
    other.exec('begin immediate')
    expect(await (await driver.open(path)).findProject(projectId)).toBeDefined()
  })

  test('the database and its log are readable by their owner only', async () => {
    const path = await driver.newPlace()
    await makeProject(await driver.open(path))
    for (const file of [path, `${path}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('a writer that never ends makes writing `unavailable`, and reading continues', async () => {
    const path = await driver.newPlace()
    const store = await driver.open(path)
    const projectId = await makeProject(store)
    const other = new DatabaseSync(path)
    onTestFinished(() => other.close())
    other.exec('begin immediate')
    await expect(addRows(store, projectId)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await store.findProject(projectId)).toBeDefined()
    other.exec('rollback')
    await addRows(store, projectId)
  })
})
