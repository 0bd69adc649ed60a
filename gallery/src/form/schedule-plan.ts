import type { Schedule, ScheduleRequest } from '../../../src/contract/schedules.ts'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'

/** The fields of a schedule, except its request: as they were typed, not checked. */
export interface Plan {
  readonly name: string
  readonly what: 'template' | 'own'
  readonly templateId: string
  readonly by: 'cron' | 'every'
  readonly cron: string
  readonly zone: string
  readonly every: string
  /** Whether it also runs while the previous request is unfinished. */
  readonly overlaps: boolean
  readonly paused: boolean
}

export const NEW_PLAN: Plan = {
  name: '',
  what: 'template',
  templateId: '',
  by: 'cron',
  cron: '0 2 * * *',
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  every: '6h',
  overlaps: false,
  paused: false,
}

export function fromSchedule({ name, templateId, cron, timezone, every, overlap, paused }: Schedule): Plan {
  return {
    name,
    what: templateId === undefined ? 'own' : 'template',
    templateId: templateId ?? '',
    by: cron === undefined ? 'every' : 'cron',
    cron: cron ?? NEW_PLAN.cron,
    // Without a time zone it is UTC.
    zone: cron === undefined ? NEW_PLAN.zone : (timezone ?? 'UTC'),
    every: every ?? NEW_PLAN.every,
    overlaps: overlap === 'run',
    paused,
  }
}

/** When it runs, for the service to check. */
export function timesOf({ by, cron, zone, every }: Plan) {
  return by === 'cron' ? { cron: cron.trim(), timezone: zone.trim() } : { every: every.trim() }
}

export function toScheduleRequest(plan: Plan, request: ScreenshotRequest): ScheduleRequest {
  const { name, what, templateId, overlaps, paused } = plan
  return {
    name: name.trim(),
    ...(what === 'template' ? { templateId } : { request }),
    ...timesOf(plan),
    overlap: overlaps ? 'run' : 'skip',
    paused,
  }
}

/** Fields of the request, their fields in the form, and what they are called. */
export const PLAN_FIELDS = {
  name: ['scheduleName', 'The name'],
  templateId: ['templateId', 'The template'],
  cron: ['cron', 'The expression'],
  timezone: ['zone', 'The time zone'],
  every: ['every', 'The interval'],
} as const
