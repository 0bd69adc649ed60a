import { type Given, type Refilled, refillNothing } from '../capture/kept-request.ts'
import { oneForEachPlace } from '../capture/templates.ts'
import { check, type Mistake } from '../contract/check.ts'
import { isNothing } from '../contract/options/given.ts'
import { createScheduleRequest, type ScheduleRequest } from '../contract/schedules.ts'
import { type Schema, Type } from '../contract/schema.ts'
import { parseScreenshotRequest, type RequestLimits } from '../contract/screenshot-request.ts'
import { mistakesOfTimes } from './check-times.ts'

export type AskedSchedule = NonNullable<ReturnType<typeof parseSchedule>['asked']>

export interface ParseOptions {
  readonly limits: RequestLimits & { readonly scheduleIntervalMs: number }
  readonly now: number
  /** The request, with kept secrets, if it is changed. */
  readonly refilled?: Refilled<unknown> | undefined
}

const TIMES = ['cron', 'timezone', 'every']

/** Checks the body of `POST …/schedules`, which may be any JSON. Returns all its mistakes, or the schedule. */
export function parseSchedule(body: unknown, options: ParseOptions) {
  const { limits, now } = options
  const { value, mistakes: wrong = [] } = check(schemaFor(limits), body, { nothing: 'not_given' })
  const { request, ...given } = (value ?? fieldsOf(body)) as ScheduleRequest
  /** Whether these fields have the right form. If not, that is told, and nothing else about them. */
  const areRight = (fields: readonly string[]) =>
    !wrong.some(({ pointer }) => pointer === '#' || fields.some((field) => pointer.startsWith(`#/${field}`)))
  const checked = mistakesOfRequest(request, options)
  const mistakes = [
    ...wrong,
    ...(areRight(TIMES) ? mistakesOfTimes(given, { now, minIntervalMs: limits.scheduleIntervalMs }) : []),
    ...(areRight(['templateId', 'request']) ? mistakesOfChoice(given, request) : []),
    ...checked.mistakes,
  ]
  if (mistakes.length > 0) return { mistakes }
  const { name, templateId, cron, timezone, every, overlap = 'skip', paused = false } = given
  const asked = { name, templateId, cron, timezone, every, overlap, paused, given: checked.given }
  return { asked, mistakes }
}

function fieldsOf(body: unknown): object {
  return Object.fromEntries(Object.entries(body ?? {}).filter(([, field]) => !isNothing(field)))
}

function mistakesOfChoice({ templateId }: ScheduleRequest, request: unknown): Mistake[] {
  if (templateId === undefined && request === undefined)
    return [{ pointer: '#', detail: 'must have a templateId, or its own request' }]
  if (templateId !== undefined && request !== undefined)
    return [{ pointer: '#/request', detail: 'must be left out if there is a templateId' }]
  return []
}

function mistakesOfRequest(
  request: unknown,
  { limits, refilled = refillNothing(request) }: ParseOptions,
): { mistakes: readonly Mistake[]; given?: Given } {
  if (typeof request !== 'object' || request === null) return { mistakes: [] }
  const later = ['scheduledTs', 'scheduleDescription']
    .filter((field) => !isNothing((request as Record<string, unknown>)[field]))
    .map((field) => ({
      pointer: `#/request/${field}`,
      detail: 'must be left out: cron or every gives the times',
    }))
  const { asked, mistakes: wrong = [] } = parseScreenshotRequest(refilled.bare, limits)
  const kept = asked ? refilled.mistakesOfOptions() : []
  const inside = oneForEachPlace([...refilled.mistakes, ...kept], wrong).map(({ pointer, detail }) => ({
    pointer: `#/request${pointer.slice(1)}`,
    detail,
  }))
  const { screenshotParameter, urls, failOn } = refilled.bare as Given
  const bare = { screenshotParameter, urls, ...(failOn && { failOn }) }
  const given = asked ? refilled.putSecretsIn(bare) : bare
  return { mistakes: oneForEachPlace(later, inside), given }
}

/** The request is checked separately, like every request. */
function schemaFor(limits: RequestLimits): Schema<ScheduleRequest> {
  const whole = createScheduleRequest(limits)
  const properties = { ...(whole['properties'] as object), request: Type.Object({}) }
  return { ...whole, properties } as unknown as Schema<ScheduleRequest>
}
