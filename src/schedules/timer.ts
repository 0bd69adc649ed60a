import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { cannotWrite } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { doDue } from './do-due.ts'
import type { ScheduleRuns } from './runs.ts'

/** What other processes have scheduled is seen so much later, at most. */
const LOOK_MS = 2_000
/** A process that has just started does other things first. */
const FIRST_MS = 500
/** After other processes were faster. */
const BEHIND_MS = 100
/** The pause after the store could not be read. */
const PAUSE_MS = 5_000
/** A clock that goes back by more than this was ahead before. */
const WENT_BACK_MS = 60_000
/** Then closing does not wait for the database. */
const CLOSE_MS = 5_000

export interface Timer {
  /** Something was scheduled or changed by this process. */
  wake(): void
  close(): Promise<void>
}

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
): Timer {
  const closing = new AbortController()
  let doze = new AbortController()

  const rest = async (ms: number): Promise<void> => {
    const signal = AbortSignal.any([doze.signal, closing.signal])
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  }

  /** By how much the clock is ahead of monotonic time. At the start, nobody knows what it was before. */
  let ahead = Number.POSITIVE_INFINITY
  const rewindIfBack = async (): Promise<void> => {
    const now = clock() - performance.now()
    if (ahead - now > WENT_BACK_MS) await runs.rewind()
    ahead = now
  }

  /** Returns how long there is nothing to do. */
  const look = async (): Promise<number> => {
    await rewindIfBack()
    const due = await store.schedules.findNextDue()
    if (due === undefined) return lookMs
    const left = due - (await store.schedules.timeAt(clock()))
    if (left > 0) return Math.min(left, lookMs)
    const done = await doDue(store, { runs, log, clock, signal: closing.signal })
    return done > 0 ? 0 : BEHIND_MS
  }

  const loop = async (): Promise<void> => {
    await rest(FIRST_MS)
    while (!closing.signal.aborted) {
      // Before the look: who wakes it meanwhile must not be missed.
      doze = new AbortController()
      const pause = await look().catch((error) => {
        // That nothing can be written is logged once, for all.
        if (!cannotWrite(error)) log.error({ err: error }, 'schedules cannot be read at the moment')
        return PAUSE_MS
      })
      await rest(pause)
    }
  }

  const looping = loop()
  return {
    wake: () => doze.abort(),
    async close() {
      closing.abort()
      const tooLong = sleep(CLOSE_MS, 'too long', { ref: false })
      if ((await Promise.race([looping, tooLong])) === 'too long')
        log.error('could not stop the timer of schedules cleanly')
    },
  }
}
