import type { Mistake } from '../contract/check.ts'
import { nearestName } from '../contract/nearest-name.ts'
import type { ScheduleRequest } from '../contract/schedules.ts'
import type { Times } from '../store/schedules.ts'
import { expressionOf, nextAfterOf, nextTimes } from './occurrences.ts'

const FIELDS =
  'minute (0 to 59), hour (0 to 23), day of the month (1 to 31), month (1 to 12), day of the week (0 to 7, or MON to SUN)'

/** The shortest time between two times of an expression. */
const SHORTEST_CRON_MS = 60_000
/** This many times show every distance between two times of an hour. */
const OF_AN_HOUR = 61

type GivenTimes = Pick<ScheduleRequest, 'cron' | 'timezone' | 'every'>

/** All mistakes in the times of a schedule. Their form has been checked. */
export function mistakesOfTimes(
  { cron, timezone, every }: GivenTimes,
  { now, minIntervalMs }: { now: number; minIntervalMs: number },
): Mistake[] {
  if (cron === undefined && every === undefined)
    return [{ pointer: '#', detail: 'must have cron, such as "0 2 * * *", or every, such as "6h"' }]
  const mistakes: Mistake[] = []
  const add = (field: string, detail: string | undefined) => {
    if (detail !== undefined) mistakes.push({ pointer: `#/${field}`, detail })
  }
  if (cron !== undefined && every !== undefined)
    add('every', 'must be left out: a schedule has either cron or every')
  if (cron === undefined && timezone !== undefined)
    add('timezone', 'must be left out: it belongs to cron. every counts from when the schedule was created')
  else if (timezone !== undefined) add('timezone', problemOfZone(timezone))
  if (cron !== undefined) add('cron', problemOfCron(cron))
  if (mistakes.length > 0) return mistakes
  const times = { cron, timezone, every }
  add(cron === undefined ? 'every' : 'cron', problemOfInterval(times, { now, minIntervalMs }))
  return mistakes
}

function problemOfCron(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length
  if (!cron.trim().startsWith('@') && fields !== 5)
    return `must have five fields, such as 0 2 * * *: ${FIELDS}. It has ${fields}`
  // The library replaces it by the time at which it reads the expression.
  if (cron.includes('?')) return 'must not contain ?: use * for every value'
  // For the library: on days that match both fields. It may search 400 years for such a day, which takes half a second.
  if (cron.includes('+')) return 'must not contain +: a day matches if one of its two fields does'
  try {
    expressionOf(cron)
    return undefined
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')
    return `must be a cron expression, such as 0 2 * * *: ${FIELDS}. ${why}`
  }
}

function problemOfZone(zone: string): string | undefined {
  try {
    if (/^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone })) return undefined
  } catch {
    // It is unknown.
  }
  const zones = Intl.supportedValuesOf('timeZone')
  const near =
    nearestName(zone, zones) ?? zones.find((each) => each.toLowerCase().endsWith(`/${zone.toLowerCase()}`))
  const instead = near === undefined ? ', such as Europe/Berlin' : `; did you mean ${near}?`
  return `must be a time zone of the IANA database${instead}`
}

function problemOfInterval(
  times: Times,
  { now, minIntervalMs }: { now: number; minIntervalMs: number },
): string | undefined {
  const nextAfter = nextAfterOf(times, now)
  const count = times.cron !== undefined && minIntervalMs > SHORTEST_CRON_MS ? OF_AN_HOUR : 2
  const next = nextTimes(nextAfter, now, count)
  if (next.length === 0) return 'must have a time in the future: there is no such day'
  const tooSoon = next.some((time, index) => time - (next[index - 1] ?? 0) < minIntervalMs)
  if (!tooSoon) return undefined
  return `must not come more often than every ${minIntervalMs / 1_000} s (MIN_SCHEDULE_INTERVAL)`
}
