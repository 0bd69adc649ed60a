import { type Given, type Refilled, refillNothing } from '../capture/kept-request.ts'
import { check, type Mistake } from '../contract/check.ts'
import { isNothing } from '../contract/options/given.ts'
import { createScheduleRequest, type ScheduleRequest } from '../contract/schedules.ts'
import { type Schema, Type } from '../contract/schema.ts'
import { parseScreenshotRequest, type RequestLimits } from '../contract/screenshot-request.ts'
import type { Times } from '../store/schedules.ts'
import { mistakesOfTimes } from './check-times.ts'

/** A schedule as it was asked for, with defaults. */
export interface AskedSchedule extends Times {
  readonly name: string
  readonly templateId: string | undefined
  readonly given: Given | undefined
  readonly overlap: 'skip' | 'run'
  readonly paused: boolean
}

export interface ParseOptions {
  readonly limits: RequestLimits
  readonly now: number
  readonly minIntervalMs: number
  /** Puts kept secrets into a request that is changed. */
  readonly refill?: (request: unknown) => Refilled<unknown>
}

type Parsed =
  | { readonly asked: AskedSchedule; readonly mistakes?: undefined }
  | { readonly asked?: undefined; readonly mistakes: readonly Mistake[] }

/** Checks the body of `POST …/schedules`, which may be any JSON. Returns all its mistakes, or the schedule. */
export function parseSchedule(body: unknown, options: ParseOptions): Parsed {
  const { value, mistakes: wrong } = check(schemaFor(options.limits), body, { nothing: 'not_given' })
  if (wrong) {
    const others = [
      ...mistakesBeside(wrong, body, options),
      ...mistakesOfRequest(requestIn(body), options).mistakes,
    ]
    return { mistakes: [...wrong, ...others] }
  }
  const { request, ...given } = value as ScheduleRequest
  const checked = mistakesOfRequest(request, options)
  const mistakes = [
    ...mistakesOfTimes(given, options),
    ...mistakesOfChoice(given, request),
    ...checked.mistakes,
  ]
  if (mistakes.length > 0) return { mistakes }
  const { name, templateId, cron, timezone, every, overlap = 'skip', paused = false } = given
  return { asked: { name, templateId, cron, timezone, every, overlap, paused, given: checked.given } }
}

const TIMES = ['cron', 'timezone', 'every'] as const

/** The other mistakes of a schedule that has fields of the wrong form. */
function mistakesBeside(wrong: readonly Mistake[], body: unknown, options: ParseOptions): Mistake[] {
  const isWrong = (field: string) =>
    wrong.some(({ pointer }) => pointer === '#' || pointer.startsWith(`#/${field}`))
  const { request, ...given } = Object.fromEntries(
    Object.entries(body ?? {}).filter(([, field]) => !isNothing(field)),
  ) as ScheduleRequest
  return [
    ...(TIMES.some(isWrong) ? [] : mistakesOfTimes(given, options)),
    ...(['templateId', 'request'].some(isWrong) ? [] : mistakesOfChoice(given, request)),
  ]
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
  { limits, refill }: ParseOptions,
): { mistakes: readonly Mistake[]; given?: Given } {
  if (typeof request !== 'object' || request === null) return { mistakes: [] }
  const later = ['scheduledTs', 'scheduleDescription']
    .filter((field) => !isNothing((request as Record<string, unknown>)[field]))
    .map((field) => ({
      pointer: `#/request/${field}`,
      detail: 'must be left out: cron or every gives the times',
    }))
  const refilled = refill?.(request) ?? refillNothing<unknown>(request)
  const { asked, mistakes: wrong = [] } = parseScreenshotRequest(refilled.bare, limits)
  const kept = asked ? refilled.mistakesOfOptions() : []
  const told = new Set(refilled.mistakes.map(({ pointer }) => pointer))
  // Where a secret must be given again, the check finds an empty string. One mistake is enough.
  const all = [...refilled.mistakes, ...kept, ...wrong.filter(({ pointer }) => !told.has(pointer))]
  const inside = all.map(({ pointer, detail }) => ({ pointer: `#/request${pointer.slice(1)}`, detail }))
  const isTold = ({ pointer }: Mistake) => later.some((each) => each.pointer === pointer)
  const { screenshotParameter, urls, failOn } = refilled.bare as Given
  const bare = { screenshotParameter, urls, ...(failOn && { failOn }) }
  const given = asked ? refilled.putSecretsIn(bare) : bare
  return { mistakes: [...later, ...inside.filter((each) => !isTold(each))], given }
}

function requestIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? (body as { request?: unknown }).request : undefined
}

const schemas = new WeakMap<RequestLimits, Schema<ScheduleRequest>>()

/** The request is checked separately, like every request. */
function schemaFor(limits: RequestLimits): Schema<ScheduleRequest> {
  const known = schemas.get(limits)
  if (known) return known
  const whole = createScheduleRequest(limits)
  const properties = { ...(whole['properties'] as object), request: Type.Object({}) }
  const made = { ...whole, properties } as unknown as Schema<ScheduleRequest>
  schemas.set(limits, made)
  return made
}
