import { paths } from '../contract/paths.ts'
import type { Schedule, ScheduleRequest } from '../contract/schedules.ts'
import type { Asking, AskOptions, ChangeOptions, ListOptions, ListPages, Versioned } from './asking.ts'

export interface ScheduleCalls {
  listSchedules(projectId: string, options?: ListOptions): ListPages<Schedule>
  getSchedule(projectId: string, scheduleId: string, options?: AskOptions): Promise<Versioned<Schedule>>
  createSchedule(projectId: string, schedule: ScheduleRequest, options?: AskOptions): Promise<Schedule>
  changeSchedule(
    projectId: string,
    scheduleId: string,
    schedule: ScheduleRequest,
    options?: ChangeOptions,
  ): Promise<Schedule>
  removeSchedule(projectId: string, scheduleId: string, options?: ChangeOptions): Promise<void>
  /** Runs it now, beside its times. */
  runSchedule(projectId: string, scheduleId: string, options?: AskOptions): Promise<{ jobId: string }>
  /** The next times of a schedule that is not made yet. */
  previewSchedule(
    projectId: string,
    when: Pick<ScheduleRequest, 'cron' | 'timezone' | 'every'>,
    options?: AskOptions,
  ): Promise<{ next: number[] }>
}

export function createScheduleCalls({ getVersioned, list, to, write }: Asking): ScheduleCalls {
  return {
    listSchedules: (project, options = {}) => list(to(paths.schedules, project), options),
    getSchedule: (project, schedule, options) => getVersioned(to(paths.schedule, project, schedule), options),
    createSchedule: (project, body, options) => write('POST', to(paths.schedules, project), body, options),
    changeSchedule: (project, schedule, body, options) =>
      write('PUT', to(paths.schedule, project, schedule), body, options),
    removeSchedule: (project, schedule, options) =>
      write('DELETE', to(paths.schedule, project, schedule), undefined, options),
    runSchedule: (project, schedule, options) =>
      write('POST', to(paths.runSchedule, project, schedule), {}, options),
    previewSchedule: (project, when, options) =>
      write('POST', to(paths.previewSchedule, project), when, options),
  }
}
