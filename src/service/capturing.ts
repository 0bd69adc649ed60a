import type { Logger } from 'pino'
import type { Camera } from '../camera/camera.ts'
import { firstBrowser, openCamera } from '../camera/open-camera.ts'
import { CaptureFigures } from '../capture/figures.ts'
import { openQueue } from '../capture/open-queue.ts'
import { createRequests } from '../capture/requests.ts'
import { RootWatchers } from '../capture/root-watchers.ts'
import { Standstill } from '../capture/standstill.ts'
import { type ImportedStatus, importedStatus } from '../capture/status.ts'
import { Templates } from '../capture/templates.ts'
import { watchStorage } from '../capture/why-waiting.ts'
import { createWork } from '../capture/worker.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { ScheduleRuns } from '../schedules/runs.ts'
import { Schedules } from '../schedules/schedules.ts'
import { openTimer } from '../schedules/timer.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { FairTurns } from '../shares/fair-turns.ts'
import type { RootKey } from '../store/store.ts'
import type { Storage } from './storage.ts'

/** A page that waits longer than this is stuck: normally it begins within seconds, unless all slots are taken. */
const STUCK_MS = 2 * 60_000

export interface CapturingOptions {
  readonly log: Logger
  readonly clock: () => number
  /** The turns of clients that watch. */
  readonly turns?: FairTurns
  /** Called when a page has ended in this process. */
  readonly onEnded?: (() => void) | undefined
  /** Which pages this process captures. By default all. `own`: only those that it has accepted. `nothing`: none, and it has no timer. */
  readonly takes?: 'all' | 'own' | 'nothing'
  /** Default: a camera in this thread. It starts with the first page. */
  readonly camera?: Camera | undefined
}

export type Capturing = Awaited<ReturnType<typeof openCapturing>>

export async function openCapturing(
  config: Config,
  storage: Storage,
  { log, clock, turns = new FairTurns(1), takes = 'all', onEnded, ...given }: CapturingOptions,
) {
  const { store, images } = storage
  const { captures } = store
  const { limits, scheduleSpreadMs: spreadMs } = config
  const ring = createKeyRing(storage.secretKeys)
  const concurrency = takes === 'nothing' ? 0 : config.capture.concurrency
  const ownOnly = takes === 'own'
  const open = () => openCamera(config, { log })
  const camera = watched(given.camera, open, async (error) => {
    broken = error && { path: (await firstBrowser(config).catch(() => undefined))?.path, error }
  })
  const watchers = new RootWatchers(captures, turns, {
    explainTo: config.explainTo,
    whyWaiting: () => waiting.whyWaiting(),
  })
  /** Why the browser did not start when it was last needed. */
  let broken: { readonly path: string | undefined; readonly error: AppError } | undefined
  /** Whether a browser was found. It is looked for again if it does not start. */
  let isFound = false
  const figures = new CaptureFigures(clock)
  const standstill = new Standstill()
  const waiting = watchStorage({ store, images, log, onChange: (why) => watchers.tellAll(why) })
  const { whyWaiting } = waiting
  const work = createWork({
    camera,
    captures,
    images,
    ring,
    limits,
    log,
    clock,
    figures,
    standstill,
    onBegun: (task) => watchers.tell(task),
    onEnded: (task) => {
      watchers.tell(task)
      onEnded?.()
    },
  })
  // While one picture is stored the next is taken. So more captures run than the camera has slots.
  const underWay = concurrency === 0 ? 0 : concurrency + Math.ceil(concurrency / 2)
  const extra = ownOnly ? 0 : concurrency
  const queue = openQueue(captures, {
    ...{ work, concurrency: underWay, extra, log, clock, ownOnly },
    mayNotBegin: whyWaiting,
  })
  const runs = new ScheduleRuns(store, {
    ...{ ring, limits, log, clock, spreadMs, mostWaiting: limits.pagesWaiting },
    findTemplate: (projectId, templateId) => templates.findAsked(projectId, templateId),
    onQueued(root) {
      watchers.tell(root)
      queue.wake(root)
    },
  })
  // A command captures only its own pages.
  const timer = takes !== 'all' ? undefined : openTimer(store, { runs, log, clock })
  const wake = () => timer?.wake()
  const requests = createRequests(store, queue, {
    ring,
    mostWaiting: limits.pagesWaiting,
    mostScheduled: limits.pagesScheduled,
    onScheduled: wake,
  })
  const templates = new Templates(store, { ring, requests, limits, clock })
  const schedules = new Schedules(store, { runs, ring, limits, clock, spreadMs, wake })
  const findBrowser = async () => {
    if (concurrency === 0) return undefined
    const found = await firstBrowser(config)
    if (broken && broken.path === found?.path) throw broken.error
    return found
  }
  return {
    requests,
    templates,
    schedules,
    scheduleFigures: runs.figures,
    async cancel(root: RootKey): Promise<boolean> {
      const isCancelled = await store.scheduledRoots.cancel(root, clock())
      if (isCancelled) watchers.tell(root)
      return isCancelled
    },
    watchers,
    importedStatus: (root: Parameters<ImportedStatus>[0]) => importedStatus(store, root),
    figures,
    whyWaiting,
    async isStuck(): Promise<boolean> {
      const now = clock()
      if (concurrency === 0 || figures.underWay > 0 || now - figures.lastActive < STUCK_MS) return false
      return await captures.anyDueSince(now - STUCK_MS)
    },
    /** Starts the browser if this process captures. Throws AppError `no_browser` if there is none. */
    async ready(): Promise<void> {
      if (concurrency > 0) await camera.ready()
    },
    /**
     * Throws AppError `no_browser` if this process captures and has no browser, or it did not start when it was last needed. Waits
     * for no start: pages are accepted while the browser starts. If it did not start, it is tried again in the background.
     */
    async requireBrowser(): Promise<void> {
      if (isFound && !broken) return
      await findBrowser().catch((error) => {
        if (broken) void camera.ready().catch(() => {})
        throw error
      })
      isFound = true
    },
    /** The browser of this process, started or not. Undefined if only other processes capture. Throws `no_browser`. */
    findBrowser,
    /** Unfinished captures go back to the queue. */
    async close(): Promise<void> {
      try {
        await timer?.close()
        await queue.close()
      } finally {
        waiting.close()
        standstill.close()
        await camera.close()
      }
    },
  }
}

/** Loads the camera with the first capture, unless it is given. Notes why the browser did not start. Undefined: it has started. */
function watched(
  given: Camera | undefined,
  open: () => Promise<Camera>,
  note: (error: AppError | undefined) => Promise<void>,
): Camera {
  let opened = given && Promise.resolve(given)
  const use = async <T>(work: (camera: Camera) => Promise<T>): Promise<T> => {
    opened ??= open()
    try {
      const result = await work(await opened)
      await note(undefined)
      return result
    } catch (error) {
      if (error instanceof AppError && error.code === 'no_browser') await note(error)
      throw error
    }
  }
  return {
    ready: () => use((camera) => camera.ready()),
    shoot: (page, signal) => use((camera) => camera.shoot(page, signal)),
    close: async () => (await opened)?.close(),
  }
}
