import { askOnce, timeToRead } from './load.ts'
import { startWithClock } from './processes.ts'
import { compare } from './statistics.ts'
import type { Figure } from './targets.ts'
import { startBare, type World } from './worlds.ts'

const WINDOW_MS = 12 * 3_600_000

/** Rows 3 and 4: a list of 1,000 roots × 10 jobs, with new addresses and directly after another request for it. */
export async function measureList(world: World, folder: string): Promise<Figure[]> {
  const { env, list } = await world.seeded('small')
  const service = await startWithClock(env)
  const bare = await startBare(service, [list], folder)
  let windows = 0
  const first = await compare(
    async () => {
      await service.setAhead(++windows * WINDOW_MS)
      return await timeToRead(service.url + list)
    },
    () => timeToRead(`${bare.url}/0`),
    { rounds: 15, warmUp: 8 },
  )
  const again = await compare(
    () => timeToRead(service.url + list),
    () => timeToRead(`${bare.url}/0`),
    { rounds: 15 },
  )
  const { bytes } = await askOnce({ url: service.url + list })
  await Promise.all([service.stop(), bare.stop()])
  const describe = ({ ours, theirs }: typeof first) =>
    `${ours.toFixed(0)} ms, bare ${theirs.toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB`
  return [
    { row: '3', world: world.name, value: first.ratio, detail: describe(first) },
    { row: '4', world: world.name, value: again.ratio, detail: describe(again) },
  ]
}
