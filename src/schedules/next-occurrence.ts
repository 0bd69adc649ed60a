import { setImmediate as otherWork } from 'node:timers/promises'
import type { Next, Occurrence, ScheduleKey, StoredSchedule, Times } from '../store/schedules.ts'
import { type NextAfter, nextAfterOf } from './occurrences.ts'
import { spreadOf } from './spread.ts'

/** A root that begins so late says so. */
const LATE_MS = 60_000
/** More times are not counted: each takes about a millisecond. */
export const MOST_MISSED = 100
const COUNTED_AT_ONCE = 10

type Scheduled = ScheduleKey & Times & { readonly created: number }

/** The first time after `after`, by the clock of the store. */
export function firstNext(schedule: Scheduled, after: number, spreadMs: number): Next | undefined {
  const nextAfter = nextAfterOf(schedule, schedule.created)
  const next = nextAfter(after)
  if (next === undefined) return undefined
  const following = nextAfter(next)
  return withSpread(schedule, next, { spreadMs, intervalMs: (following ?? Number.POSITIVE_INFINITY) - next })
}

/**
 * What is to be done for a schedule that is due: its time, how many later ones have passed as well, and the first that is
 * still to come. `now`: by the clock of the store.
 */
export async function nextOccurrence(
  schedule: StoredSchedule,
  now: number,
  spreadMs: number,
): Promise<Occurrence | undefined> {
  if (!schedule.next) return undefined
  const { next: time, due } = schedule.next
  const nextAfter = nextAfterOf(schedule, schedule.created)
  // A clock that is behind must not make an occurrence twice.
  const next = nextAfter(Math.max(now, time))
  const missed = await countBetween(nextAfter, time, next ?? now + 1)
  return {
    time,
    missed,
    lateMs: now - due > LATE_MS ? now - due : undefined,
    next: next === undefined ? undefined : withSpread(schedule, next, { spreadMs, intervalMs: next - time }),
  }
}

function withSpread(
  { scheduleId }: ScheduleKey,
  next: number,
  spread: { spreadMs: number; intervalMs: number },
): Next {
  return { next, due: next + spreadOf(scheduleId, spread) }
}

/** How many times are after `from` and before `end`, at most MOST_MISSED. */
async function countBetween(nextAfter: NextAfter, from: number, end: number): Promise<number> {
  let count = 0
  for (let time = nextAfter(from); time !== undefined && time < end; time = nextAfter(time)) {
    count++
    if (count === MOST_MISSED) break
    if (count % COUNTED_AT_ONCE === 0) await otherWork()
  }
  return count
}
