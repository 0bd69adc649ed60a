import type { RequestLimits } from '../contract/screenshot-request.ts'
import type { Store } from '../store/store.ts'
import { Schedules, type SchedulesOptions } from './schedules.ts'

interface Settings {
  readonly limits: RequestLimits & { readonly schedules: number; readonly scheduleIntervalMs: number }
  readonly scheduleSpreadMs: number
}

/** Schedules with the settings of the operator. Also for a command, which has no timer and no queue. */
export function createSchedules(
  { limits, scheduleSpreadMs }: Settings,
  { store }: { readonly store: Store },
  options: Pick<SchedulesOptions, 'runs' | 'ring' | 'clock' | 'wake'>,
): Schedules {
  return new Schedules(store, {
    ...options,
    limits,
    spreadMs: scheduleSpreadMs,
    minIntervalMs: limits.scheduleIntervalMs,
    most: limits.schedules,
    hasTemplate: async (projectId, templateId) => await store.templates.has({ projectId, templateId }),
  })
}
