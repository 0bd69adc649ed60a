import { paths, pathTo } from '../../../contract/paths.ts'
import { ProjectParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { originOf } from '../../rules/origin.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { scheduleResponse, sendSchedule } from './schedule-answer.ts'

export function createSchedule(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { door, schedules, turns } = context
  server.route({
    method: 'POST',
    url: paths.schedules,
    config: { access: 'write' },
    schema: {
      operationId: 'createSchedule',
      tags: ['Schedules'],
      summary: 'Make a schedule',
      description: 'It makes a root at each of its times. Needs a key with the scope `write`.',
      params: ProjectParams,
      body: { $ref: 'ScheduleRequest#' },
      response: {
        201: scheduleResponse('The schedule, with its next times.'),
        ...problemResponses(
          ...(['bad_request', 'unauthorized', 'forbidden', 'not_found', 'request_timeout'] as const),
          ...(['conflict', 'too_large', 'unsupported_media_type', 'rate_limited', 'storage_full'] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const body = await readJson(request, reply, (any) => any)
      const { projectId } = await door.getProject(request.params, request.apiKey)
      const made = await turns.run(clientOf(request), () => schedules.create(projectId, body))
      const { scheduleId } = made
      logAct(request, 'schedule made', { projectId, scheduleId })
      const path = pathTo(paths.schedule, projectId, scheduleId)
      reply.code(201).header('location', `${originOf(request, context)}${path}`)
      return await sendSchedule(made, request, reply, context)
    },
  })
}
