import type { MarkCounts } from '../../../contract/browsing.ts'
import type { CaptureOptions, OwnOptions } from '../../../contract/capture-options.ts'
import { MARK_NAMES, type Seen } from '../../../contract/seen.ts'
import type { Origin } from '../../../contract/status.ts'
import type { CaptureProgress } from '../../captures.ts'
import type { Tables } from '../tables.ts'

// The JSON of `requests.options` and `captures.own_options`. Only this file writes and reads it. An option that a row does
// not have was not requested, or did not exist when the row was written.

export function writeOptions(options: CaptureOptions): string {
  return JSON.stringify(options)
}

export function readOptions(text: string): CaptureOptions {
  return JSON.parse(text)
}

export function writeOwnOptions(own: OwnOptions | undefined): string | null {
  return own && Object.keys(own).length > 0 ? JSON.stringify(own) : null
}

/** Empty or null means no options. */
export function readOwnOptions(text: string | null): OwnOptions | undefined {
  return text ? JSON.parse(text) : undefined
}

// The marks of the pages of a request.

export const NO_MARKS = '{}'

/** How many pages have each mark, as JSON. Adds these pages. */
export function countMarks(counted: string, pages: readonly Pick<Seen, 'marks'>[]): string {
  const before = JSON.parse(counted) as MarkCounts
  const counts = MARK_NAMES.map((mark) => {
    const more = pages.filter(({ marks }) => marks.includes(mark)).length
    return [mark, (before[mark] ?? 0) + more] as const
  })
  return JSON.stringify(Object.fromEntries(counts.filter(([, count]) => count > 0)))
}

/** Older versions did not write what was seen. Of their captures only the mark `cut` is known. */
export function marksOf({ seen, cut }: Pick<CaptureProgress, 'seen' | 'cut'>): Pick<Seen, 'marks'> {
  return seen ?? { marks: cut ? ['cut'] : [] }
}

// Where a root comes from.

export const ORIGIN_COLUMNS = [
  'scheduled',
  'template_id',
  'schedule_id',
  'occurrence',
  'late_ms',
  'missed',
] as const

type OriginRow = Pick<Tables['requests'], (typeof ORIGIN_COLUMNS)[number]>

export function writeOrigin({ scheduled, lateMs, templateId, schedule }: Origin = {}): OriginRow {
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
export function readOrigin(row: OriginRow): Origin | undefined {
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
  const row = Object.fromEntries(ORIGIN_COLUMNS.map((column, at) => [column, values[at]]))
  return readOrigin(row as unknown as OriginRow)
}
