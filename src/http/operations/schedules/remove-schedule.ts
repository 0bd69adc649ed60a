import { paths } from '../../../contract/paths.ts'
import { ScheduleParams } from '../../../contract/requests.ts'
import { Type } from '../../../contract/schema.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'

export function removeSchedule(server: Server, { door, schedules }: HttpContext): void {
  server.route({
    method: 'DELETE',
    url: paths.schedule,
    config: { access: 'write' },
    schema: {
      operationId: 'removeSchedule',
      tags: ['Schedules'],
      summary: 'Remove a schedule',
      description: 'Its roots stay. Needs a key with the scope `write`.',
      params: ScheduleParams,
      headers: ifMatchHeader,
      response: {
        204: Type.Null({ description: 'It is removed, with its secrets.' }),
        ...problemResponses('unauthorized', 'forbidden', 'not_found', 'precondition_failed', 'rate_limited'),
      },
    },
    handler: async (request, reply) => {
      const schedule = await door.getSchedule(request.params, request.apiKey)
      const { projectId, scheduleId } = schedule
      await schedules.remove(schedule, { ifRevision: expectedRevision(request, schedule) })
      logAct(request, 'schedule removed', { projectId, scheduleId })
      return await reply.code(204).send(null)
    },
  })
}
