import { Cron } from 'croner'
import { parseDuration } from '../contract/schedules.ts'
import {
  LATE_MS,
  type Next,
  type Occurrence,
  type ScheduleKey,
  type StoredSchedule,
  type Times,
} from '../store/schedules.ts'
import { keepNewest } from '../work/kept.ts'
import { otherWork } from '../work/other-work.ts'

interface Expression {
  readonly cron: Cron
  /** The clock on the wall. */
  readonly wall: Intl.DateTimeFormat
}

/** The first time after another one. Undefined if there is none. */
type NextAfter = (time: number) => number | undefined

/** Making one takes as long as finding a time. Each has about 100 kB. */
const KEPT = 50
const kept = new Map<string, Expression>()
/** More times are not counted: each takes a fraction of a millisecond. */
export const MOST_MISSED = 100
const COUNTED_AT_ONCE = 10
/** The most of the time between two occurrences. */
const SPREAD_SHARE = 1 / 10

/** `created`: what `every` is counted from. The expression and the time zone are valid. */
export function nextAfterOf({ cron, timezone, every }: Times, created: number): NextAfter {
  if (cron !== undefined) {
    const expression = expressionOf(cron, timezone)
    const nextAfter: NextAfter = (time) => expression.cron.nextRun(new Date(time))?.getTime()
    return EVERY_HOUR.test(cron.trim()) ? nextAfter : once(nextAfter, expression)
  }
  const everyMs = parseDuration(every ?? '')
  if (everyMs === undefined) throw new Error('a schedule has cron or every')
  return (time) => created + Math.max(1, Math.floor((time - created) / everyMs) + 1) * everyMs
}

/** The next `count` times, or fewer if there are no more. */
export function nextTimes(nextAfter: NextAfter, after: number, count: number): number[] {
  const times: number[] = []
  for (let time = nextAfter(after); time !== undefined && times.length < count; time = nextAfter(time))
    times.push(time)
  return times
}

/** Such a schedule runs in both hours when clocks go back: a pause of an hour would be worse. */
const EVERY_HOUR = /^(@hourly$|\S+\s+\*\s)/
/** By how much clocks go back. */
const BACK_MS = [30, 60, 120].map((minutes) => minutes * 60_000)

/** Without the times that the clock on the wall shows again. */
function once(nextAfter: NextAfter, { wall }: Expression): NextAfter {
  const isAgain = (time: number) => BACK_MS.some((ms) => wall.format(time - ms) === wall.format(time))
  return (after) => {
    let time = nextAfter(after)
    while (time !== undefined && isAgain(time)) time = nextAfter(time)
    return time
  }
}

/** Throws an error of croner, or a RangeError if the time zone is unknown. */
export function expressionOf(cron: string, timezone = 'UTC'): Expression {
  const name = `${timezone} ${cron}`
  const known = kept.get(name)
  if (known) return known
  // The library keeps something for each name of a time zone, for ever. `europe/BERLIN` is not another name.
  const wall = new Intl.DateTimeFormat('en', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' })
  const { timeZone } = wall.resolvedOptions()
  const made = { cron: new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }), wall }
  keepNewest(kept, name, made, KEPT)
  return made
}

type Scheduled = ScheduleKey & Times & { readonly created: number }

/** The first time after `after`, by the clock of the store. */
export function firstNext(schedule: Scheduled, after: number, spreadMs: number): Next | undefined {
  return withSpread(schedule, nextAfterOf(schedule, schedule.created)(after), spreadMs)
}

/**
 * The work for a schedule that is due: its time, and the time that follows, which may have come, too. If it is
 * late, later times that have passed are not made up for: they are counted, and the next is still to come. `now`: by the
 * clock of the store.
 */
export async function nextOccurrence(
  schedule: StoredSchedule,
  now: number,
  spreadMs: number,
): Promise<(Occurrence & { readonly problem?: string }) | undefined> {
  if (!schedule.next) return undefined
  const { next: time, due } = schedule.next
  const nextAfter = nextAfterOf(schedule, schedule.created)
  const isLate = now - due > LATE_MS
  const next = nextAfter(isLate ? Math.max(now, time) : time)
  return {
    time,
    missed: isLate ? await countBetween(nextAfter, time, next ?? now + 1) : 0,
    lateMs: isLate ? now - due : undefined,
    next: withSpread(schedule, next, spreadMs),
  }
}

/** Schedules with the same times are spread over a while, each of them always at the same place: its id is random. */
function withSpread(schedule: Scheduled, next: number | undefined, spreadMs: number): Next | undefined {
  if (next === undefined) return undefined
  if (spreadMs === 0) return { next, due: next }
  const following = nextAfterOf(schedule, schedule.created)(next) ?? Number.POSITIVE_INFINITY
  const intervalMs = following - next
  const place = Number.parseInt(schedule.scheduleId.slice(0, 8), 16) / 2 ** 32
  return { next, due: next + Math.floor(place * Math.min(spreadMs, intervalMs * SPREAD_SHARE)) }
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
