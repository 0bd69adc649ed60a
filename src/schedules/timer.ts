import type { Logger } from 'pino'
import type { Store } from '../store/store.ts'
import { type Loop, openLoop } from '../work/loop.ts'
import { doDue } from './do-due.ts'
import type { ScheduleRuns } from './runs.ts'

/** Schedules of other processes are seen so much later, at most. */
const LOOK_MS = 2_000
const FIRST_MS = 500
/** After other processes were faster. */
const BEHIND_MS = 100
/** A clock that goes back by more than this was ahead before. */
const WENT_BACK_MS = 60_000

export interface TimerOptions {
  readonly runs: ScheduleRuns
  readonly log: Pick<Logger, 'error'>
  readonly clock: () => number
  readonly lookMs?: number
}

/**
 * Does what is due: begins scheduled roots, and makes the roots of schedules. Every process has one, and whoever comes first
 * does it. It reads one time from the store and sleeps until then, so it costs nothing to have many schedules.
 */
export function openTimer(
  store: Pick<Store, 'schedules' | 'scheduledRoots'>,
  { runs, log, clock, lookMs = LOOK_MS }: TimerOptions,
): Loop {
  /** By how much the clock is ahead of monotonic time. At the start, nobody knows what it was before. */
  let ahead = Number.POSITIVE_INFINITY
  const rewindIfBack = async (): Promise<void> => {
    const now = clock() - performance.now()
    if (ahead - now > WENT_BACK_MS) await runs.rewind()
    ahead = now
  }
  const look = async (closing: AbortSignal): Promise<number> => {
    await rewindIfBack()
    const due = await store.schedules.findNextDue()
    if (due === undefined) return lookMs
    const left = due - (await store.schedules.timeAt(clock()))
    if (left > 0) return Math.min(left, lookMs)
    const done = await doDue(store, { runs, log, clock, signal: closing })
    return done > 0 ? 0 : BEHIND_MS
  }
  return openLoop({ name: 'schedules', look, log, firstMs: FIRST_MS })
}
