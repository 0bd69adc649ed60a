import { setTimeout as sleep } from 'node:timers/promises'
import { findBrowsers } from '../../src/camera/browser/find-browser.ts'
import { readConfig } from '../../src/config/config.ts'
import { paths, pathTo } from '../../src/contract/paths.ts'
import { isFinal } from '../../src/contract/status.ts'
import { askForPages, readStatus, timePages, type Wanted } from './ask-for-pages.ts'
import { type Attack, ERRAND_S, type Setup } from './attack.ts'

const SMALL: Wanted = { path: '/small', pages: 6 }

async function missing(): Promise<string | undefined> {
  const { capture, dataDir } = readConfig({ ...process.env, DATA_DIR: '/nonexistent' })
  for await (const _ of findBrowsers({ ...capture, dataDir })) return undefined
  return 'there is no browser: npx proofsheet browser install'
}

const capturing = (
  id: string,
  what: string,
  wanted: Wanted,
  { endsWhenDone = false, ...more }: Partial<Attack> & { endsWhenDone?: boolean } = {},
): Attack => ({
  id,
  what,
  ownWorld: true,
  missing,
  async start(setup) {
    const { attacker } = setup.world
    const asked = await askForPages(setup, attacker, wanted)
    let over = false
    const untilFinal = async (rootId: string) => {
      while (!over) {
        const status = await readStatus(setup, attacker, rootId, 2).catch(() => undefined)
        if (status && isFinal(status.state)) return
        if (!status) await sleep(500)
      }
    }
    return {
      async tell() {
        if ('refused' in asked) return { [asked.refused]: 1 }
        return await tellOutcomes(setup, asked.rootId)
      },
      // The pages stay in the queue.
      stop: async () => {
        over = true
      },
      ...(endsWhenDone && 'rootId' in asked && { ended: untilFinal(asked.rootId) }),
    }
  },
  ...more,
})

/** Counts the attacker's pages by state and reason. For pictures it also gives their megabytes. */
async function tellOutcomes(setup: Setup, rootId: string): Promise<Record<string, number>> {
  const { attacker } = setup.world
  const told: Record<string, number> = {}
  for (const { state, reason, uuid } of (await readStatus(setup, attacker, rootId))?.urls ?? []) {
    const name = reason ?? (state === 'done' && uuid ? await describePicture(setup, rootId, uuid) : state)
    told[name] = (told[name] ?? 0) + 1
  }
  return told
}

async function describePicture({ world: { attacker }, service }: Setup, rootId: string, uuid: string) {
  const response = await fetch(service.url + pathTo(paths.getPicture, attacker.projectId, rootId, uuid), {
    method: 'HEAD',
    headers: { authorization: `Bearer ${attacker.read}` },
  })
  return `a picture of ${Math.round(Number(response.headers.get('content-length')) / 1e6)} MB`
}

const errand: Attack['errand'] = (setup) => timePages(setup, setup.world.victim, SMALL, ERRAND_S)

/** Rows 5 and 6: pages that use more than their share of the browser or of memory. */
export const captures: readonly Attack[] = [
  capturing(
    '5',
    'a page of random pixels, 4096 × 16384',
    { path: '/noise', pages: 1, loadingTime: 60_000, width: 4096, height: 16_384 },
    { seconds: 90, endsWhenDone: true },
  ),
  capturing(
    '6a',
    '100 pages that never settle, with a loadingTime of 100 s',
    { path: '/restless', pages: 100, loadingTime: 100_000 },
    { errand },
  ),
  capturing(
    '6b',
    '100 pages in an endless loop, with a loadingTime of 1 s',
    { path: '/endless', pages: 100, loadingTime: 1_000 },
    { errand },
  ),
]
