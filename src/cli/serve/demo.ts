import type { Logger } from 'pino'
import type { Service } from '../../app.ts'
import { getProgress } from '../../capture/status.ts'
import { isFinal } from '../../contract/status.ts'
import { fillDemo, startDemo } from '../../demo/demo.ts'
import { DEMO_PROJECT_ID } from '../../demo/project-id.ts'
import { type DemoSite, serveSite } from '../../demo/site/serve-site.ts'
import { history } from '../../demo/visits.ts'
import { AppError } from '../../errors.ts'
import type { Storage } from '../../storage.ts'
import { counted } from '../table.ts'

/** The demo beside a service: its site, which only the camera finds, and its project, filled while the service runs. */
export interface RunningDemo {
  readonly places: DemoSite['places']
  fill(studio: Service['studio'], say: (text: string) => void): void
  /** Filling ends soon; what is not there yet comes with the next start. */
  stop(): Promise<void>
  /** What was kept, where it was stopped before all was there; else empty. */
  describeRest(dataDir: string): Promise<string>
  close(): Promise<void>
}

/** Undefined where there is a project that is not the demo's. */
export async function openDemo(storage: Storage, log: Logger): Promise<RunningDemo | undefined> {
  const { store } = storage
  if (!(await startDemo(store, Date.now))) return undefined
  const site = await serveSite()
  const stopping = new AbortController()
  let filling: Promise<void> | undefined

  const fill = async (studio: Service['studio'], say: (text: string) => void): Promise<void> => {
    const ask: Parameters<typeof fillDemo>[1]['ask'] = async (request, idempotencyKey) => {
      // Workers elsewhere do not know the name of the site.
      if (!(await studio.findBrowser())) throw new AppError('no_browser', 'this process captures nothing')
      await studio.ready().catch((error) => {
        if (error instanceof AppError) say(error.message)
        throw error
      })
      await studio.requests.accept(DEMO_PROJECT_ID, request, { now: Date.now(), idempotencyKey })
    }
    const outcome = await fillDemo({ ...storage, clock: Date.now }, { ask, signal: stopping.signal })
    if (outcome === 'captured') {
      say('Pages of a made-up site are being captured right now: watch them arrive in the gallery.')
    }
  }

  return {
    places: site.places,
    fill(studio, say) {
      filling = fill(studio, say).catch((error) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'the demo is not complete')
      })
    },
    async stop() {
      stopping.abort()
      await filling
    },
    async describeRest(dataDir) {
      const roots = await store.pageRoots(DEMO_PROJECT_ID, { limit: 100 })
      const states = await Promise.all(
        roots.map(async ({ rootId }) => (await getProgress(store, DEMO_PROJECT_ID, rootId)).status.state),
      )
      const finished = states.filter(isFinal).length
      if (roots.length > history.length && finished === roots.length) return ''
      const pictures = roots.reduce((sum, { jobCount }) => sum + jobCount, 0)
      return (
        `Stopped before the demo was complete. ${counted(pictures, 'picture')} of ${counted(roots.length, 'capture')} ` +
        `are kept in ${dataDir}; the next start goes on from there.`
      )
    },
    close: () => site.close(),
  }
}
