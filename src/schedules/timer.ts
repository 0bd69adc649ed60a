import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { type Loop, openLoop } from '../work/loop.ts'
import type { ScheduleRuns } from './runs.ts'

/** Changes by other processes are seen within this time. */
const LOOK_MS = 2_000
const FIRST_MS = 500
/** After other processes were faster. */
const BEHIND_MS = 100
/** A clock that goes back by more than this was ahead before. */
const WENT_BACK_MS = 60_000
/** Read at a time, of each kind. */
const DUE_AT_ONCE = 50

export interface TimerOptions {
  readonly runs: ScheduleRuns
  readonly log: Pick<Logger, 'error'>
  readonly clock: () => number
  readonly lookMs?: number
}

/**
 * Does what is due: begins scheduled roots, and creates the roots of schedules. Every process has a timer, and the first one
 * that comes does the work. It reads one time from the store and sleeps until then, so it costs nothing to have many schedules.
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

interface DueOptions extends Omit<TimerOptions, 'lookMs'> {
  readonly signal?: AbortSignal
  /** After each run, others have the process for as long as it has worked. Off in tests that count years. */
  readonly rests?: boolean
}

/** Does some of what is due. Returns how much of it this process has done. Throws if the storage is away. */
export async function doDue(
  { schedules, scheduledRoots }: Pick<Store, 'schedules' | 'scheduledRoots'>,
  { runs, log, clock, signal, rests = true }: DueOptions,
): Promise<number> {
  const tasks = [
    ...(await scheduledRoots.findDue(clock(), DUE_AT_ONCE)).map((root) => () => runs.begin(root)),
    ...(await schedules.findDue(clock(), DUE_AT_ONCE)).map(
      (schedule) => async () => (await runs.run(schedule)) !== 'overtaken',
    ),
  ]
  let done = 0
  // In any order: several processes that read the same list hardly ever meet.
  for (const task of shuffled(tasks)) {
    if (signal?.aborted) break
    const began = workDone()
    try {
      if (await task()) done++
    } catch (error) {
      if (error instanceof AppError) throw error
      log.error({ err: error }, 'a schedule could not be run')
    }
    if (rests) await sleep(workDone() - began)
  }
  return done
}

/** Milliseconds that this thread has worked. Waiting for the database is not work. */
function workDone(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
