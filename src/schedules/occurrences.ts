import { Cron } from 'croner'
import { parseDuration } from '../contract/schedules.ts'
import type { Times } from '../store/schedules.ts'
import { keepNewest } from '../work/kept.ts'

/** The first time after another one. Undefined if there is none. */
export type NextAfter = (time: number) => number | undefined

/** Making one takes as long as finding a time. Each has about 100 kB. */
const KEPT = 50
const kept = new Map<string, Cron>()

/** `created`: what `every` is counted from. The expression and the time zone are valid. */
export function nextAfterOf({ cron, timezone, every }: Times, created: number): NextAfter {
  if (cron !== undefined) {
    const expression = cronOf(cron, timezone)
    return (time) => expression.nextRun(new Date(time))?.getTime()
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

/** Throws an error of croner, or a RangeError if the time zone is unknown. */
export function cronOf(cron: string, timezone = 'UTC'): Cron {
  const name = `${timezone} ${cron}`
  const known = kept.get(name)
  if (known) return known
  // The library keeps something for each name of a time zone, for ever. `europe/BERLIN` is not another name.
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions()
  const made = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
  keepNewest(kept, name, made, KEPT)
  return made
}
