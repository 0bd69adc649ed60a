import { paths, pathTo } from '../../src/contract/paths.ts'
import { type Attack, attackWith, type Setup } from './attack.ts'
import { toGet } from './requests.ts'
import { addLargeRoot, addPictures, type World } from './world.ts'

const JOBS = 10_000
/** A client that reads nothing gives up and starts again after this time. */
const HELD_MS = 3_000

const made = new WeakMap<World, Promise<string>>()

/** The root of 10,000 jobs, made for the first attack that needs it. */
function largeRootOf(world: World): Promise<string> {
  const root = made.get(world) ?? makeLargeRoot(world)
  made.set(world, root)
  return root
}

async function makeLargeRoot(world: World): Promise<string> {
  const rootId = await addLargeRoot(world.storage, world.attacker, JOBS)
  await addPictures(world, world.attacker, rootId)
  return rootId
}

const reading = (
  id: string,
  what: string,
  connections: number,
  path: string,
  manner: 'loop' | 'hold',
): Attack => ({
  id,
  what,
  async start({ world, service }: Setup) {
    const { projectId, read } = world.attacker
    const url = service.url + pathTo(path, projectId, await largeRootOf(world))
    return await attackWith({
      url,
      connections,
      requests: [toGet(url, read)],
      manner,
      unread: 'all',
      ...(manner === 'hold' && { heldMs: HELD_MS }),
    })
  },
})

/** Rows 2, 3 and 11: many requests at once for large answers. */
export const lists: readonly Attack[] = [
  reading('2a', '100 full lists of a root of 10,000 jobs, not read', 100, paths.listRoots, 'hold'),
  reading('2b', '500 of them', 500, paths.listRoots, 'hold'),
  reading('2c', '100 times pictures.zip of it, not read', 100, paths.getArchive, 'hold'),
  reading('3a', 'its status in a loop, 20 connections', 20, paths.getStatus, 'loop'),
  reading('3b', 'its events in a loop, 20 connections', 20, paths.watchStatus, 'loop'),
  reading(
    '11b',
    'searches for what is not there, 20 at a time',
    20,
    `${paths.listOverviews}?q=nowhere-to-be-found`,
    'loop',
  ),
]
