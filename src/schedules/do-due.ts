import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { ScheduleRuns } from './runs.ts'

/** Read at a time, of each kind. */
const AT_ONCE = 50

export interface DueOptions {
  readonly runs: ScheduleRuns
  readonly log: Pick<Logger, 'error'>
  readonly clock: () => number
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
    ...(await scheduledRoots.findDue(clock(), AT_ONCE)).map((root) => () => runs.begin(root)),
    ...(await schedules.findDue(clock(), AT_ONCE)).map(
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
