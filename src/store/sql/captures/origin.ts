import type { Origin } from '../../../contract/status.ts'
import type { Tables } from '../tables.ts'

// Where a root comes from, in the columns of its request.

type Columns = Pick<
  Tables['requests'],
  'scheduled' | 'template_id' | 'schedule_id' | 'occurrence' | 'late_ms' | 'missed'
>

export const ORIGIN_COLUMNS = [
  'scheduled',
  'template_id',
  'schedule_id',
  'occurrence',
  'late_ms',
  'missed',
] as const satisfies readonly (keyof Columns)[]

export function writeOrigin({ scheduled, lateMs, templateId, schedule }: Origin = {}): Columns {
  return {
    scheduled: scheduled ?? null,
    template_id: templateId ?? null,
    schedule_id: schedule?.scheduleId ?? null,
    occurrence: schedule?.occurrence ?? null,
    late_ms: schedule?.lateMs ?? lateMs ?? null,
    missed: schedule?.missed ?? null,
  }
}

/** Undefined if the root was a request of its own, for now. */
export function readOrigin(row: Columns): Origin | undefined {
  const origin = {
    ...(row.scheduled !== null && { scheduled: row.scheduled }),
    ...(row.schedule_id === null && row.late_ms !== null && { lateMs: row.late_ms }),
    ...(row.template_id !== null && { templateId: row.template_id }),
    ...(row.schedule_id !== null && {
      schedule: {
        scheduleId: row.schedule_id,
        occurrence: row.occurrence ?? 0,
        ...(row.late_ms !== null && { lateMs: row.late_ms }),
        ...(row.missed !== null && { missed: row.missed }),
      },
    }),
  }
  return Object.keys(origin).length > 0 ? origin : undefined
}

/** The same from the values of ORIGIN_COLUMNS, in their order. */
export function readOriginOf(values: readonly unknown[]): Origin | undefined {
  return readOrigin(
    Object.fromEntries(ORIGIN_COLUMNS.map((column, at) => [column, values[at]])) as unknown as Columns,
  )
}
