import { paths } from '../../../contract/paths.ts'
import { ScheduleParams } from '../../../contract/requests.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { scheduleResponse, sendSchedule } from './schedule-answer.ts'

export function getSchedule(server: Server, context: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.schedule,
    schema: {
      operationId: 'getSchedule',
      tags: ['Schedules'],
      summary: 'Get a schedule',
      description: 'With its next times and its last root.',
      params: ScheduleParams,
      response: {
        200: scheduleResponse('The schedule.'),
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const schedule = await context.door.getSchedule(request.params, request.apiKey)
      return await sendSchedule(schedule, request, reply, context)
    },
  })
}
