import type { HttpContext, Server } from '../../context.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { changeSchedule } from './change-schedule.ts'
import { createSchedule } from './create-schedule.ts'
import { getSchedule } from './get-schedule.ts'
import { listSchedules } from './list-schedules.ts'
import { previewSchedule } from './preview-schedule.ts'
import { removeSchedule } from './remove-schedule.ts'
import { runSchedule } from './run-schedule.ts'

/** `scope`: operations with a body belong to it. */
export function scheduleOperations(
  server: Server,
  { scope, readJson }: { scope: Server; readJson: ReadJson },
  context: HttpContext,
): void {
  listSchedules(server, context)
  createSchedule(scope, readJson, context)
  getSchedule(server, context)
  changeSchedule(scope, readJson, context)
  removeSchedule(server, context)
  runSchedule(scope, readJson, context)
  previewSchedule(scope, readJson, context)
}
