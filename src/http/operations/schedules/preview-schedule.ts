import { paths } from '../../../contract/paths.ts'
import { ProjectParams } from '../../../contract/requests.ts'
import { SchedulePreview, SchedulePreviewRequest } from '../../../contract/schedules.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { type ReadJson, requireValid } from '../../rules/read-json.ts'

export function previewSchedule(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { door, schedules, turns } = context
  server.route({
    method: 'POST',
    url: paths.previewSchedule,
    schema: {
      operationId: 'previewSchedule',
      tags: ['Schedules'],
      summary: 'Preview the times of a schedule',
      description: 'Nothing is made.',
      params: ProjectParams,
      body: { $ref: 'SchedulePreviewRequest#' },
      response: {
        200: { description: 'The times.', content: { 'application/json': { schema: SchedulePreview } } },
        ...problemResponses(
          ...(['bad_request', 'unauthorized', 'not_found', 'request_timeout', 'too_large'] as const),
          ...(['unsupported_media_type', 'rate_limited'] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const times = await readJson(request, reply, (body) => requireValid(SchedulePreviewRequest, body))
      await door.getProject(request.params, request.apiKey)
      const next = await turns.run(clientOf(request), () => schedules.preview(times))
      return await reply.header('cache-control', 'no-store').send({ next })
    },
  })
}
