import { GIVEN_REQUEST, LastRoot, Name } from './owned.ts'
import { Optional, rule, type Schema, STRICT, type Static, Time, Type } from './schema.ts'
import { createScreenshotRequest, type RequestLimits, type ScreenshotRequest } from './screenshot-request.ts'

// A schedule creates a root again and again: from a template, or from its own request.

/** How many of the next times are shown. */
export const NEXT_TIMES = 5
const MAX_CRON = 200

export const OVERLAPS = ['skip', 'run'] as const

const When = {
  cron: Optional.String({
    minLength: 1,
    maxLength: MAX_CRON,
    description:
      'Five fields: minute, hour, day of the month, month, day of the week. A time that the change to daylight saving time skips ' +
      'runs right after the change; a time that occurs twice runs once, unless the hour is `*`.',
    examples: ['0 2 * * *'],
  }),
  timezone: Optional.String({
    minLength: 1,
    maxLength: 64,
    description: 'The time zone of `cron`, by its IANA name. Without it: UTC.',
    examples: ['Europe/Berlin'],
  }),
  every: Optional.String({
    maxLength: 20,
    description:
      'Instead of `cron`: a number with s, m, h or d, counted from the time when the schedule was created.',
    examples: ['6h'],
    [rule]: problemOfDuration,
  }),
  overlap: Optional.Enum(OVERLAPS, {
    default: 'skip',
    description:
      'If the previous root is unfinished when the next one is due: `skip` that time, or `run` anyway.',
  }),
}

const TemplateId = Type.String({ format: 'uuid', description: 'The template to run.' })
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const DURATION = /^([1-9]\d{0,5})(s|m|h|d)$/

/** The body of `POST …/schedules` and `PUT …/schedules/:scheduleId`. */
export const createScheduleRequest = (limits: RequestLimits) =>
  Type.Object(
    {
      name: Name,
      templateId: Type.Optional(TemplateId),
      request: Type.Optional(createScreenshotRequest(limits) as Schema<ScreenshotRequest>),
      ...When,
      paused: Optional.Boolean({ default: false }),
    },
    {
      $id: 'ScheduleRequest',
      description:
        'Either `templateId` or `request`, and either `cron` or `every`. When a schedule is changed, an empty string instead of a ' +
        'secret keeps the stored secret of the same page.',
      ...STRICT,
    },
  )

export type ScheduleRequest = Static<ReturnType<typeof createScheduleRequest>>

export const Schedule = Type.Object(
  {
    scheduleId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    templateId: Type.Optional(TemplateId),
    request: Optional.Object(GIVEN_REQUEST),
    ...When,
    paused: Type.Boolean(),
    next: Type.Array(Time('One of the next times.'), {
      description: `The next ${NEXT_TIMES} times. Empty if it is paused, or if there are none.`,
    }),
    created: Time('When it was created.'),
    changed: Time('When it was last changed.'),
    last: Type.Optional(LastRoot),
    runs: Type.Integer({ description: 'How many roots it has created.' }),
    late: Type.Integer({ description: 'How many of them began more than a minute late.' }),
    skipped: Type.Integer({
      description: 'How many times were skipped because the previous root was unfinished.',
    }),
    lastSkipped: Type.Optional(Time('The last skipped time.')),
    problem: Optional.Object(
      { at: Time('The time that created no root.'), detail: Type.String({ description: 'For people.' }) },
      { description: 'Why the last time created no root. Absent again when a later time has created one.' },
    ),
  },
  { $id: 'Schedule', description: 'A schedule creates a root again and again. Secrets are empty strings.' },
)

export type Schedule = Static<typeof Schedule>

export const ScheduleList = Type.Array(Type.Reference<Schedule>('Schedule'), {
  description: 'Schedules, oldest first.',
})

/** The body of `POST …/schedules/preview`. */
export const SchedulePreviewRequest = Type.Object(
  { cron: When.cron, timezone: When.timezone, every: When.every },
  { $id: 'SchedulePreviewRequest', description: 'Either `cron` or `every`.', ...STRICT },
)

export const SchedulePreview = Type.Object({
  next: Type.Array(Time('One of the next times.'), { description: `The next ${NEXT_TIMES} times.` }),
})

/** `90s`, `15m`, `6h` or `7d`, in milliseconds. Undefined if it is something else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

function problemOfDuration(text: string): string | undefined {
  return parseDuration(text) === undefined ? 'must be a number with s, m, h or d, such as 6h' : undefined
}
