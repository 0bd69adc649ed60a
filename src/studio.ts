import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { Camera } from './camera/camera.ts'
import { Requests } from './capture/requests.ts'
import { Watch } from './capture/watch.ts'
import { createWork } from './capture/worker.ts'
import type { Config } from './config/config.ts'
import type { Place } from './egress/guard.ts'
import { openEventually } from './queue/eventually.ts'
import type { Storage } from './storage.ts'

/** Where pictures are taken: requests in, results out. */
export interface Studio {
  readonly requests: Requests
  readonly watch: Watch
  /** How many captures of this process came to which end: `done`, or the reason. */
  readonly outcomes: ReadonlyMap<string, number>
  /** Throws AppError `no_browser` where this process is to capture and cannot. */
  ready(): Promise<void>
  /** What is under way goes back to the queue. */
  close(): Promise<void>
}

/** `ownOnly`: captures nothing but what is asked for through it, where the queue can tell. */
export async function openStudio(
  config: Config,
  storage: Storage,
  { log, clock, ownOnly = false }: { log: Logger; clock: () => number; ownOnly?: boolean },
): Promise<Studio> {
  const { captures } = storage.store
  const { concurrency } = config.capture
  const camera = whenNeeded(() => openCamera(config, { log }))
  const watch = new Watch(captures)
  const outcomes = new Map<string, number>()
  const work = createWork({
    camera,
    captures,
    images: storage.images,
    limits: config.limits,
    log,
    clock,
    onBegun: (task) => watch.tell(task),
    onEnded(task, outcome) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      watch.tell(task)
    },
  })
  // While one picture is stored the next one is taken: so some more are under way than the camera takes at a time.
  const underWay = concurrency === 0 ? 0 : concurrency + Math.ceil(concurrency / 2)
  const queue = openEventually(
    () => storage.openQueue({ work, concurrency: underWay, log, clock, ownOnly }),
    { log, atOnce: concurrency > 0 },
  )
  return {
    requests: new Requests(storage.store, queue.opened),
    watch,
    outcomes,
    ready: async () => (concurrency > 0 ? await camera.ready() : undefined),
    async close() {
      try {
        await queue.close()
      } finally {
        await camera.close()
      }
    },
  }
}

/** A service that is never asked to capture need not load what captures. */
function whenNeeded(open: () => Promise<Camera>): Camera {
  let opened: Promise<Camera> | undefined
  const camera = () => {
    opened ??= open()
    return opened
  }
  return {
    ready: async () => (await camera()).ready(),
    shoot: async (page, signal) => (await camera()).shoot(page, signal),
    close: async () => (await opened)?.close(),
  }
}

/** `places`: names that are answered by this program itself, whatever DNS says. */
export async function openCamera(
  { capture, dataDir, limits }: Config,
  { log, places }: { log: Pick<Logger, 'warn'>; places?: ReadonlyMap<string, Place> },
): Promise<Camera> {
  const [{ createCamera }, { createGuard }, { findBrowser }] = await Promise.all([
    import('./camera/chromium.ts'),
    import('./egress/guard.ts'),
    import('./camera/find-browser.ts'),
  ])
  return createCamera({
    find: () => findBrowser({ ...capture, dataDir }),
    guard: createGuard({ allow: capture.allow, ...(places && { places }) }),
    concurrency: capture.concurrency || availableParallelism(),
    limits: { height: limits.viewportHeight, pixels: limits.picturePixels, pageBytes: limits.pageBytes },
    log,
  })
}
