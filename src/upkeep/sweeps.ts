import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Deliveries } from '../store/deliveries.ts'
import type { Events } from '../store/events.ts'
import type { EndedSessions } from '../store/store.ts'
import { sweepOrphans } from './orphans.ts'
import { removeProject, removeRoot } from './remove.ts'
import { removePictures, type StoreAndImages } from './remove-pictures.ts'

const EVERY_MS = 3_600_000
/** Every file is checked, so once a day is enough. The first time is an hour after the start. */
const ORPHANS_EVERY = 24
const PAUSE_MS = 50
/**
 * Rows expire by a clock that runs at most this many times as fast as time passes. So if the clock jumps ahead for a while, rows
 * expire only some hours early, and after a long time out of service the clock still catches up.
 */
const FASTEST = 6
/** The cookie of a session is valid for 30 days (`access/sessions.ts`). The rest is for clocks that jump. */
const SESSION_DAYS = 45
/** In one transaction. */
const SESSIONS_AT_ONCE = 200
/** Work that began before a project was removed has ended by then. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000
/** Webhooks have read them long before. */
const EVENTS_KEPT_MS = 7 * 24 * 3_600_000
/** Of one project. */
const MOST_EVENTS = 100_000
/** In one transaction. */
const EVENTS_AT_ONCE = 1_000
/** In one transaction. */
const DELIVERIES_AT_ONCE = 200

export interface SweepsOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly kept: KeptDeliveries
  readonly everyMs?: number
}

/** Regular work, done slowly: removes what killed processes left, and what is kept only for a time. */
export class Sweeps {
  /** Removed by this process: files that no row points at, and pictures that were never published. */
  readonly removed = { orphans: 0, staging: 0 }
  readonly #storage: StoreAndImages
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #kept: KeptDeliveries
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  #count = 0
  /** By the monotonic clock. */
  #lastSweep = performance.now()
  #last: Promise<void> = Promise.resolve()

  constructor(storage: StoreAndImages, { log, kept, everyMs = EVERY_MS }: SweepsOptions) {
    this.#storage = storage
    this.#log = log
    this.#kept = kept
    this.#timer = setInterval(() => {
      this.#last = this.#last.then(() => this.#sweep())
    }, everyMs).unref()
  }

  /** One step that fails does not keep the others from being done. */
  async #sweep(): Promise<void> {
    const { store, images } = this.#storage
    await this.#try('remove what was never published', async () => {
      this.removed.staging += await images.tidy()
    })
    const [before, passed] = [this.#lastSweep, performance.now()]
    let now = Number.NaN
    await this.#try('find out what is old', async () => {
      now = await store.followTime('sweeps', { now: Date.now(), most: (passed - before) * FASTEST })
      this.#lastSweep = passed
    })
    if (this.#lastSweep === before) return
    const options = { now, pauseMs: PAUSE_MS, signal: this.#closing.signal }
    await this.#try('trim events', () => trimEvents(store.events, options))
    await this.#try('forget deliveries', () => forgetDeliveries(store.deliveries, this.#kept, options))
    await this.#try('forget ended sessions', () => forgetSessions(store.endedSessions, options))
    await this.#try('end removals', () => finishRemovals(this.#storage, options))
    if (this.#count++ % ORPHANS_EVERY !== 0) return
    await this.#try('look for files that no row points at', async () => {
      const began = performance.now()
      const swept = await sweepOrphans(this.#storage, options)
      this.removed.orphans += swept.removed
      const ms = Math.round(performance.now() - began)
      this.#log.info({ ...swept, ms }, 'swept: files that no row points at')
    })
  }

  async #try(what: string, step: () => Promise<void>): Promise<void> {
    if (this.#closing.signal.aborted) return
    try {
      await step()
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#log.warn({ err: error }, `could not ${what}`)
    }
  }

  /** A running sweep ends at its next step. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.#last
  }
}

/** So that the sessions that people have signed out of do not grow without end. */
async function forgetSessions(
  sessions: Pick<EndedSessions, 'forget'>,
  { now, pauseMs, signal }: { now: number; pauseMs: number; signal: AbortSignal },
): Promise<void> {
  const options = { now, days: SESSION_DAYS, limit: SESSIONS_AT_ONCE }
  while (!signal.aborted && (await sessions.forget(options)) > 0) await sleep(pauseMs)
}

/** Continues interrupted removals, and forgets projects that were removed a day ago. */
export async function finishRemovals(
  storage: StoreAndImages,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<void> {
  for (const { projectId, rootId, since = now } of await storage.store.removals.findInterrupted()) {
    if (signal.aborted) return
    if (rootId !== undefined) await removeRoot(storage, projectId, rootId, now)
    else {
      await removeProject(storage, projectId, now)
      if (since < now - FORGOTTEN_AFTER_MS) await forgetProject(storage, projectId)
    }
  }
}

/** Removes all pictures of the project: no row points at them. */
async function forgetProject(storage: StoreAndImages, projectId: string): Promise<void> {
  const isShared = await storage.images.isShared()
  if (!isShared) {
    for await (const some of storage.images.walk(projectId))
      if (some.length > 0)
        await removePictures(
          storage,
          projectId,
          some.map(({ key }) => key),
        )
  }
  await storage.store.removals.forgetProject(projectId)
}

/** So that the outbox does not grow without end, also where nobody reads it. */
async function trimEvents(
  events: Pick<Events, 'trim'>,
  { now, pauseMs, signal }: { now: number; pauseMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const trimmed = await events.trim({
      before: now - EVENTS_KEPT_MS,
      most: MOST_EVENTS,
      limit: EVENTS_AT_ONCE,
    })
    if (trimmed === 0) return
    await sleep(pauseMs)
  }
}

/** How long deliveries are kept, and how many of a webhook. */
interface KeptDeliveries {
  readonly keepMs: number
  readonly mostDeliveries: number
}

/** So that the list of deliveries does not grow without end. Also drops what a killed process has left pending. */
async function forgetDeliveries(
  deliveries: Pick<Deliveries, 'forget' | 'dropPending'>,
  { keepMs, mostDeliveries }: KeptDeliveries,
  { now, pauseMs, signal }: { now: number; pauseMs: number; signal: AbortSignal },
): Promise<void> {
  const steps = [
    () => deliveries.dropPending({ now, limit: DELIVERIES_AT_ONCE }),
    () => deliveries.forget({ before: now - keepMs, most: mostDeliveries, limit: DELIVERIES_AT_ONCE }),
  ]
  for (const step of steps) {
    while (!signal.aborted && (await step()) > 0) await sleep(pauseMs)
  }
}
