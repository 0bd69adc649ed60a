import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../support/processes/workspace.ts'
import { until } from '../../support/runner/until.ts'
import { KEYS } from '../../support/servers/keys.ts'
import { asAdmin, dropDatabase, endSessions, isPooled } from '../../support/servers/postgres.ts'
import { useDatabases } from '../../support/servers/use-servers.ts'
import { makeProject } from '../../support/store/results.ts'
import { openProcess, type Place } from './open-process.ts'
import { queueSuite } from './queue-suite.ts'

const databases = useDatabases()

async function newPlace(newDatabase = () => databases.newDatabase()): Promise<Place> {
  const url = await newDatabase()
  onTestFinished(() => dropDatabase(url))
  return { DATABASE_URL: url, DATA_DIR: join(await makeFolder(), 'data'), ...KEYS }
}
const addressOf = (place: Place): string => place['DATABASE_URL'] ?? ''

queueSuite('PostgreSQL', () => newPlace())

describe('PostgreSQL: a queue', () => {
  test('several processes can open it at once on an empty database', async () => {
    const place = await newPlace(() => databases.newEmptyDatabase())
    const processes = await Promise.all(Array.from({ length: 4 }, () => openProcess(place)))
    const [{ store, captures }] = processes as [Awaited<ReturnType<typeof openProcess>>]
    const projectId = await makeProject(store)
    const asked = await Promise.all(processes.map(({ ask }) => ask(projectId)))
    await until(async () => !(await captures.anyUnfinished()))
    for (const { rootId } of asked) expect(await store.jobsOf(projectId, [rootId])).toHaveLength(1)
  })

  test('two stores in one database do not take each other’s captures', async ({ skip }) => {
    const place = await newPlace()
    skip(await isPooled(addressOf(place)), 'through a pooler each needs a role of its own')
    const names = ['public', 'proofsheet', 'Proof sheet']
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

  test('continues after its connections are lost', async () => {
    const place = await newPlace()
    const { store, captures, ask } = await openProcess(place)
    const projectId = await makeProject(store)
    await ask(projectId)
    await until(async () => !(await captures.anyUnfinished()))
    await endSessions(addressOf(place))
    await until(() =>
      ask(projectId).then(
        () => true,
        () => false,
      ),
    )
    await until(async () => !(await captures.anyUnfinished()))
  })
})
