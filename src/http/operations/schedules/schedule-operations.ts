import type { HttpContext, Server } from '../../context.ts'
import { createReadJson } from '../../rules/read-json.ts'
import { changeSchedule } from './change-schedule.ts'
import { createSchedule } from './create-schedule.ts'
import { getSchedule } from './get-schedule.ts'
import { listSchedules } from './list-schedules.ts'
import { previewSchedule } from './preview-schedule.ts'
import { removeSchedule } from './remove-schedule.ts'
import { runSchedule } from './run-schedule.ts'

/** All operations of schedules. Those with a body share a scope. */
export async function scheduleOperations(server: Server, context: HttpContext): Promise<void> {
  listSchedules(server, context)
  getSchedule(server, context)
  removeSchedule(server, context)
  await server.register(async (scope) => {
    const readJson = createReadJson(scope as Server, context)
    createSchedule(scope as Server, readJson, context)
    changeSchedule(scope as Server, readJson, context)
    runSchedule(scope as Server, readJson, context)
    previewSchedule(scope as Server, readJson, context)
  })
}
