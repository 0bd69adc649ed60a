import { rule, type Static, Type } from './schema.ts'

// When a request begins, if not at once. Both fields are those of Websiteshot.

/** A smaller number must be in seconds: in milliseconds it would be before 1974. */
const SECONDS_BELOW = 100_000_000_000
/** The year 2100. */
const LATEST = 4_102_444_800_000

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const UNITS = Object.keys(UNIT_MS) as (keyof typeof UNIT_MS)[]
/** Ten years of the largest unit. */
const MAX_VALUE = 3_650

export const ScheduledTs = Type.Integer({
  minimum: 0,
  maximum: LATEST,
  description:
    'When the pages are captured, in Unix milliseconds. A time in the past means now. Until then the root can be read, without jobs.',
  examples: [1_794_710_277_698],
  [rule]: (time: number) =>
    time > 0 && time < SECONDS_BELOW
      ? `must be in milliseconds, but looks like seconds: ${time} s would be ${time * 1000}`
      : undefined,
})

export const ScheduleDescription = Type.Object(
  {
    value: Type.Integer({ minimum: 0, maximum: MAX_VALUE, description: 'How many units.', examples: [5] }),
    unit: Type.Enum(UNITS, { description: 'Minutes, hours or days.' }),
  },
  {
    additionalProperties: false,
    description: 'When the pages are captured, counted from now. `scheduledTs` takes precedence.',
    examples: [{ value: 5, unit: 'm' }],
  },
)

/** A time, or how many milliseconds from now. */
export type When = { readonly at: number } | { readonly afterMs: number }

export function whenOf({
  scheduledTs,
  scheduleDescription,
}: {
  readonly scheduledTs?: number
  readonly scheduleDescription?: Static<typeof ScheduleDescription>
}): When | undefined {
  if (scheduledTs !== undefined) return { at: scheduledTs }
  if (scheduleDescription === undefined) return undefined
  return { afterMs: scheduleDescription.value * UNIT_MS[scheduleDescription.unit] }
}

/** In Unix milliseconds. Undefined: at once. */
export function timeOf(when: When | undefined, now: number): number | undefined {
  if (when === undefined) return undefined
  const time = 'at' in when ? when.at : now + when.afterMs
  return time > now ? time : undefined
}
