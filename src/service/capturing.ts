import type { Logger } from 'pino'
import type { FoundBrowser } from '../camera/browser/browser.ts'
import type { Camera } from '../camera/camera.ts'
import { firstBrowser, openCamera } from '../camera/open-camera.ts'
import { CaptureFigures } from '../capture/figures.ts'
import { openQueue } from '../capture/open-queue.ts'
import { Requests } from '../capture/requests.ts'
import { RootWatchers } from '../capture/root-watchers.ts'
import { Standstill } from '../capture/standstill.ts'
import { type ImportedStatus, importedStatus } from '../capture/status.ts'
import { Templates } from '../capture/templates.ts'
import { type WhyWaiting, watchStorage } from '../capture/why-waiting.ts'
import { createWork } from '../capture/worker.ts'
import type { Config } from '../config/config.ts'
import type { RequestLimits } from '../contract/screenshot-request.ts'
import { AppError } from '../errors.ts'
import { type ScheduleFigures, ScheduleRuns } from '../schedules/runs.ts'
import { Schedules, type SchedulesOptions } from '../schedules/schedules.ts'
import { openTimer } from '../schedules/timer.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { FairTurns } from '../shares/fair-turns.ts'
import type { RootKey, Store } from '../store/store.ts'
import type { Storage } from './storage.ts'

/** A page that waits longer than this is stuck: normally it begins within seconds, unless all slots are taken. */
const STUCK_MS = 2 * 60_000

/** Everything that captures pages. */
export interface Capturing {
  readonly requests: Requests
  readonly templates: Templates
  readonly schedules: Schedules
  /** The schedules that this process has run, in numbers. */
  readonly scheduleFigures: ScheduleFigures
  /** Cancels a scheduled root. False if it has begun. */
  cancel(root: RootKey): Promise<boolean>
  readonly watchers: RootWatchers
  /** The status of a root that was imported. */
  readonly importedStatus: ImportedStatus
  /** The captures of this process, in numbers. */
  readonly figures: CaptureFigures
  /** Why nothing is captured at the moment, by any process. */
  readonly whyWaiting: WhyWaiting
  /** Whether pages wait that this process should have begun. */
  isStuck(): Promise<boolean>
  /** Starts the browser if this process captures. Throws AppError `no_browser` if there is none. */
  ready(): Promise<void>
  /**
   * Throws AppError `no_browser` if this process captures and has no browser, or it did not start when it was last needed. Waits
   * for no start: pages are accepted while the browser starts. If it did not start, it is tried again in the background.
   */
  requireBrowser(): Promise<void>
  /** The browser of this process, started or not. Undefined if only other processes capture. Throws `no_browser`. */
  findBrowser(): Promise<FoundBrowser | undefined>
  /** Unfinished captures go back to the queue. */
  close(): Promise<void>
}

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

export async function openCapturing(
  config: Config,
  storage: Storage,
  { log, clock, turns = new FairTurns(1), takes = 'all', onEnded, ...given }: CapturingOptions,
): Promise<Capturing> {
  const { captures } = storage.store
  const ring = createKeyRing(storage.secretKeys)
  const concurrency = takes === 'nothing' ? 0 : config.capture.concurrency
  const ownOnly = takes === 'own'
  const camera = noting(given.camera ?? whenNeeded(() => openCamera(config, { log })), async (error) => {
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
  const { store, images } = storage
  const waiting = watchStorage({ store, images, log, onChange: (why) => watchers.tellAll(why) })
  const { whyWaiting } = waiting
  const work = createWork({
    camera,
    captures,
    images,
    ring,
    limits: config.limits,
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
    ...{ ring, limits: config.limits, log, clock },
    findTemplate: (projectId, templateId) => templates.findRequest(projectId, templateId),
    spreadMs: config.scheduleSpreadMs,
    mostWaiting: config.limits.pagesWaiting,
    onQueued(root) {
      watchers.tell(root)
      queue.wake(root)
    },
  })
  // A command captures only its own pages.
  const timer = takes !== 'all' ? undefined : openTimer(storage.store, { runs, log, clock })
  const wake = () => timer?.wake()
  const requests = new Requests(store, queue, {
    ring,
    mostWaiting: config.limits.pagesWaiting,
    mostScheduled: config.limits.pagesScheduled,
    onScheduled: wake,
  })
  const templates = new Templates(store, { ring, requests, limits: config.limits })
  const findBrowser = async () => {
    if (concurrency === 0) return undefined
    const found = await firstBrowser(config)
    if (broken && broken.path === found?.path) throw broken.error
    return found
  }
  return {
    requests,
    templates,
    schedules: createSchedules(config, storage, { runs, ring, clock, wake }),
    scheduleFigures: runs.figures,
    async cancel(root) {
      const isCancelled = await storage.store.scheduledRoots.cancel(root, clock())
      if (isCancelled) watchers.tell(root)
      return isCancelled
    },
    watchers,
    importedStatus: (root) => importedStatus(storage.store, root),
    figures,
    whyWaiting,
    async isStuck() {
      const now = clock()
      if (concurrency === 0 || figures.underWay > 0 || now - figures.lastActive < STUCK_MS) return false
      return await captures.anyDueSince(now - STUCK_MS)
    },
    async ready() {
      if (concurrency === 0) return
      await camera.ready()
    },
    async requireBrowser() {
      if (isFound && !broken) return
      await findBrowser().catch((error) => {
        if (broken) void camera.ready().catch(() => {})
        throw error
      })
      isFound = true
    },
    findBrowser,
    async close() {
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

/** Notes why the browser did not start when it was needed. Undefined: it has started. */
function noting(camera: Camera, note: (error: AppError | undefined) => Promise<void>): Camera {
  const noted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const result = await work
      await note(undefined)
      return result
    } catch (error) {
      if (error instanceof AppError && error.code === 'no_browser') await note(error)
      throw error
    }
  }
  return {
    ready: () => noted(camera.ready()),
    shoot: (page, signal) => noted(camera.shoot(page, signal)),
    close: () => camera.close(),
  }
}

/** Loads the camera with the first capture. A service that captures nothing never loads it. */
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

interface Settings {
  readonly limits: RequestLimits & { readonly schedules: number; readonly scheduleIntervalMs: number }
  readonly scheduleSpreadMs: number
}

/** Schedules with the settings of the operator. Also for a command, which has no timer and no queue. */
function createSchedules(
  { limits, scheduleSpreadMs }: Settings,
  { store }: { readonly store: Store },
  options: Pick<SchedulesOptions, 'runs' | 'ring' | 'clock' | 'wake'>,
): Schedules {
  return new Schedules(store, {
    ...options,
    limits,
    spreadMs: scheduleSpreadMs,
    minIntervalMs: limits.scheduleIntervalMs,
    most: limits.schedules,
    hasTemplate: async (projectId, templateId) => await store.templates.has({ projectId, templateId }),
  })
}
