import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openLoop } from '../work/loop.ts'
import { sweepOrphans } from './orphans.ts'
import { removePictures, removeProject, removeRoot, type StoreAndImages } from './remove.ts'

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
/** Work that began before a project was removed has ended by then. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000
/** Webhooks have read them long before. */
const EVENTS_KEPT_MS = 7 * 24 * 3_600_000
/** Of one project. */
const MOST_EVENTS = 100_000
// Rows of one transaction.
const EVENTS_AT_ONCE = 1_000
const DELIVERIES_AT_ONCE = 200
const SESSIONS_AT_ONCE = 200

interface SweepsOptions {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** How long deliveries are kept, and how many of a webhook. */
  readonly kept: { readonly keepMs: number; readonly mostDeliveries: number }
  readonly everyMs?: number
}

/** Regular work, done slowly: removes what killed processes left, and what is kept only for a time. */
export function openSweeps(storage: StoreAndImages, { log, kept, everyMs = EVERY_MS }: SweepsOptions) {
  const { store, images } = storage
  const removed = { orphans: 0, staging: 0 }
  let count = 0
  /** By the monotonic clock. */
  let lastSweep = performance.now()

  const sweep = async (signal: AbortSignal): Promise<void> => {
    /** One step that fails does not keep the others from being done. */
    const attempt = async (what: string, step: () => Promise<void>) => {
      if (signal.aborted) return
      await step().catch((error) => {
        if (!signal.aborted) log.warn({ err: error }, `could not ${what}`)
      })
    }
    /** Does a part at a time, until nothing is left to do. */
    const attemptAll = (what: string, part: () => Promise<number>) =>
      attempt(what, async () => {
        while (!signal.aborted && (await part()) > 0) await sleep(PAUSE_MS)
      })
    await attempt('remove what was never published', async () => {
      removed.staging += await images.tidy()
    })
    const [before, passed] = [lastSweep, performance.now()]
    let now = Number.NaN
    await attempt('find out what is old', async () => {
      now = await store.followTime('sweeps', { now: Date.now(), most: (passed - before) * FASTEST })
      lastSweep = passed
    })
    if (lastSweep === before) return
    // Also where nobody reads the outbox.
    await attemptAll('trim events', () =>
      store.events.trim({ before: now - EVENTS_KEPT_MS, most: MOST_EVENTS, limit: EVENTS_AT_ONCE }),
    )
    const limit = DELIVERIES_AT_ONCE
    // What a killed process has left pending.
    await attemptAll('forget deliveries', () => store.deliveries.dropPending({ now, limit }))
    await attemptAll('forget deliveries', () =>
      store.deliveries.forget({ before: now - kept.keepMs, most: kept.mostDeliveries, limit }),
    )
    await attemptAll('forget ended sessions', () =>
      store.endedSessions.forget({ now, days: SESSION_DAYS, limit: SESSIONS_AT_ONCE }),
    )
    await attempt('end removals', () => finishRemovals(storage, { now, signal }))
    if (count++ % ORPHANS_EVERY !== 0) return
    await attempt('look for files that no row points at', async () => {
      const began = performance.now()
      const swept = await sweepOrphans(storage, { now, pauseMs: PAUSE_MS, signal })
      removed.orphans += swept.removed
      const ms = Math.round(performance.now() - began)
      log.info({ ...swept, ms }, 'swept: files that no row points at')
    })
  }
  const look = (closing: AbortSignal) => sweep(closing).then(() => everyMs)
  const loop = openLoop({ name: 'sweeps', look, log, firstMs: everyMs })
  return {
    /** By this process: files that no row points at, and pictures that were never published. */
    removed,
    /** A running sweep ends at its next step. */
    close: async () => await loop.close(),
  }
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
  for await (const some of isShared ? [] : storage.images.walk(projectId)) {
    const keys = some.map(({ key }) => key)
    if (keys.length > 0) await removePictures(storage, projectId, keys)
  }
  await storage.store.removals.forgetProject(projectId)
}
