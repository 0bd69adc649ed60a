import type { Insertable, Selectable } from 'kysely'
import type { NewSchedule, StoredSchedule } from '../../schedules.ts'
import type { Tables } from '../tables.ts'

export type ScheduleRow = Selectable<Tables['schedules']>

/** Bytes of requests that are read at once. A request may have a million. */
const AT_ONCE = 500_000

/** How many of these schedules are read at once: at least one. */
export function countAtOnce(heads: readonly { readonly bytes: number }[]): number {
  let sum = 0
  const end = heads.findIndex(({ bytes }, index) => {
    sum += bytes
    return index > 0 && sum > AT_ONCE
  })
  return end < 0 ? heads.length : end
}

/** The columns that people change. */
export function writeSchedule(schedule: NewSchedule) {
  return {
    name: schedule.name,
    template_id: schedule.templateId ?? null,
    request: schedule.request ?? null,
    sealed: schedule.sealed ?? null,
    cron: schedule.cron ?? null,
    timezone: schedule.timezone ?? null,
    every: schedule.every ?? null,
    overlap: schedule.overlap,
    paused: schedule.paused ? 1 : 0,
    ...writeNext(schedule.next),
  } satisfies Partial<Insertable<Tables['schedules']>>
}

export function writeNext(next: NewSchedule['next']) {
  return { next: next?.next ?? null, due: next?.due ?? null }
}

export function readSchedule(row: ScheduleRow): StoredSchedule {
  return {
    projectId: row.project_id,
    scheduleId: row.schedule_id,
    name: row.name,
    templateId: row.template_id ?? undefined,
    request: row.request ?? undefined,
    sealed: row.sealed ?? undefined,
    cron: row.cron ?? undefined,
    timezone: row.timezone ?? undefined,
    every: row.every ?? undefined,
    overlap: row.overlap,
    paused: row.paused === 1,
    next: row.next === null || row.due === null ? undefined : { next: row.next, due: row.due },
    created: row.created,
    changed: row.changed,
    revision: row.revision,
    lastRoot: row.last_root ?? undefined,
    runs: row.runs,
    late: row.late,
    skipped: row.skipped,
    lastSkipped: row.last_skipped ?? undefined,
    problem: row.problem === null ? undefined : { at: row.problem_at ?? 0, detail: row.problem },
  }
}
