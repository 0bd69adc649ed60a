import type { Schedule, ScheduleRequest } from '../../src/contract/schedules.ts'
import { count, distance, duration, shortMoment } from './words.ts'

const UNITS = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as const

/** A run that begins later than this is late. */
const LATE_MS = 60_000

/** `every 6 hours`, or the cron expression with its time zone. */
export function cadence({ cron, timezone, every }: Pick<Schedule, 'cron' | 'timezone' | 'every'>): string {
  if (cron !== undefined) return `${cron} · ${timezone ?? 'UTC'}`
  const [, number = '', unit = ''] = /^(\d+)([smhd])$/.exec(every ?? '') ?? []
  const word = UNITS[unit as keyof typeof UNITS]
  if (!word) return every ?? ''
  return number === '1' ? `every ${word}` : `every ${count(Number(number), word)}`
}

/** When it runs next: `in 3 hours`, `paused`. */
export function nextRun({ paused, next: [next] }: Pick<Schedule, 'paused' | 'next'>, now: number): string {
  if (paused) return 'paused'
  if (next === undefined) return 'no more runs'
  if (now - next > LATE_MS) return `late: it was due ${distance(next, now)}`
  return next <= now ? 'due now' : distance(next, now)
}

/** The problem with its last time, if there is one: it created no root, was skipped, or was late. */
export function trouble({ problem, lastSkipped, last }: Schedule): string | undefined {
  if (problem) return `did not run ${shortMoment(problem.at)}: ${problem.detail}`
  if (lastSkipped !== undefined && lastSkipped > (last?.created ?? 0))
    return `skipped ${shortMoment(lastSkipped)}: the previous request was unfinished`
  return undefined
}

/** Later times that had passed are counted up to this. */
const MOST_COUNTED = 100

/** `12 minutes late`, and how many later times had passed. */
export function lateness({ lateMs, missed = 0 }: { lateMs?: number; missed?: number }): string | undefined {
  if (lateMs === undefined) return undefined
  const passed = missed >= MOST_COUNTED ? `${MOST_COUNTED} or more later times` : count(missed, 'later time')
  return missed === 0 ? `${duration(lateMs)} late` : `${duration(lateMs)} late; ${passed} had passed`
}

/** A schedule as it is sent to be changed. Empty strings keep its secrets. */
export function asAsked({
  name,
  templateId,
  request,
  cron,
  timezone,
  every,
  overlap,
  paused,
}: Schedule): ScheduleRequest {
  const given = { name, templateId, request, cron, timezone, every, overlap, paused }
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as ScheduleRequest
}
