import { paths } from '../../../contract/paths.ts'
import { ScheduleParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { scheduleResponse, sendSchedule } from './schedule-answer.ts'

export function changeSchedule(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { door, schedules, turns } = context
  server.route({
    method: 'PUT',
    url: paths.schedule,
    config: { access: 'write' },
    schema: {
      operationId: 'changeSchedule',
      tags: ['Schedules'],
      summary: 'Change or pause a schedule',
      description:
        'Replaces all of it. An empty text in the place of a secret keeps the secret. Needs a key with the scope `write`.',
      params: ScheduleParams,
      headers: ifMatchHeader,
      body: { $ref: 'ScheduleRequest#' },
      response: {
        200: scheduleResponse('The changed schedule, with its next times.'),
        ...problemResponses(
          ...(['bad_request', 'unauthorized', 'forbidden', 'not_found', 'request_timeout'] as const),
          ...(['precondition_failed', 'too_large', 'unsupported_media_type'] as const),
          ...(['rate_limited', 'storage_full'] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const body = await readJson(request, reply, (any) => any)
      const before = await door.getSchedule(request.params, request.apiKey)
      const expected = { ifRevision: expectedRevision(request, before) }
      const changed = await turns.run(clientOf(request), () => schedules.change(before, body, expected))
      const { projectId, scheduleId, paused } = changed
      logAct(request, paused ? 'schedule changed, and paused' : 'schedule changed', { projectId, scheduleId })
      return await sendSchedule(changed, request, reply, context)
    },
  })
}
