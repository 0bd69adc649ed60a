import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../src/config/config.ts'
import { openStorage } from '../src/service/storage.ts'
import type { Store } from '../src/store/store.ts'
import { makeProject } from '../test/support/store/results.ts'
import { seedPostgresSchedules, seedSchedules } from '../test/support/store/seed-schedules.ts'
import { askOnce } from './load.ts'
import { startProofsheet } from './processes.ts'
import { compare, median } from './statistics.ts'
import type { Figure } from './targets.ts'
import type { World } from './worlds.ts'

const SCHEDULES = 100_000
/** None of them becomes due meanwhile. */
const LATER_MS = 86_400_000
const LOOKS = 200
const IDLE = { rounds: 7, seconds: 6 }

/** Row 12: what 100,000 schedules cost a service that has nothing to do. */
export async function measureSchedules(world: World, folder: string): Promise<Figure[]> {
  const [none, many] = [await newStore(world, folder), await newStore(world, folder)]
  await seed(many)
  return [await measureLooks(world, many, none), await measureIdle(world, many, none)]
}

type Place = Awaited<ReturnType<typeof newStore>>

async function newStore(world: World, folder: string) {
  const env = await world.empty()
  // A folder of its own: several would take turns with one.
  const withFolder = { DATA_DIR: await mkdtemp(join(folder, 'schedules-')), ...env }
  const storage = await openStorage(readConfig(withFolder, { serving: false }))
  const projectId = await makeProject(storage.store)
  await storage.close()
  return { env: withFolder as Record<string, string>, projectId }
}

async function seed({ env, projectId }: Place): Promise<void> {
  const many = { count: SCHEDULES, due: Date.now() + LATER_MS }
  const url = env['DATABASE_URL']
  if (url !== undefined) await seedPostgresSchedules(url, projectId, many)
  else seedSchedules(join(env['DATA_DIR'] ?? '', 'proofsheet.db'), projectId, many)
}

/** What a timer asks for when it looks, and when something is due. */
async function measureLooks(world: World, many: Place, none: Place): Promise<Figure> {
  const open = async ({ env }: Place) => await openStorage(readConfig(env, { serving: false }))
  const [full, empty] = [await open(many), await open(none)]
  const look = async ({ schedules, scheduledRoots }: Store): Promise<number> => {
    const began = performance.now()
    for (let each = 0; each < LOOKS; each++) {
      await schedules.findNextDue()
      await schedules.findDue(Date.now(), 50)
      await scheduledRoots.findDue(Date.now(), 50)
    }
    return (performance.now() - began) / LOOKS
  }
  const { ours, theirs, ratio } = await compare(
    () => look(full.store),
    () => look(empty.store),
  )
  await full.close()
  await empty.close()
  const detail = `${ours.toFixed(2)} ms, ${theirs.toFixed(2)} ms without any`
  return { row: '12a', world: world.name, value: ratio, detail }
}

/** Both services run at the same time, so that noise hits both. */
async function measureIdle(world: World, many: Place, none: Place): Promise<Figure> {
  const services = await Promise.all([many, none].map(({ env }) => startProofsheet(env)))
  for (const { url } of services) await askOnce({ url: `${url}/readyz` })
  await sleep(IDLE.seconds * 1_000)
  const rounds: [number, number][] = []
  for (let round = 0; round < IDLE.rounds; round++) {
    const before = services.map(({ worked }) => worked())
    await sleep(IDLE.seconds * 1_000)
    const after = services.map(({ worked }, index) => worked() - (before[index] ?? 0))
    rounds.push([after[0] ?? Number.NaN, after[1] ?? Number.NaN])
  }
  for (const service of services) await service.stop()
  const share = (values: readonly number[]) => `${((median(values) / IDLE.seconds) * 100).toFixed(2)} %`
  const detail = `${share(rounds.map(([ours]) => ours))} of a core, ${share(rounds.map(([, theirs]) => theirs))} without any`
  return {
    row: '12b',
    world: world.name,
    value: median(rounds.map(([ours, theirs]) => ours / theirs)),
    detail,
  }
}
