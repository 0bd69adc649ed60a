import { paths, pathTo } from '../../../contract/paths.ts'
import { createSchedulesQuery, ProjectParams } from '../../../contract/requests.ts'
import { ScheduleList } from '../../../contract/schedules.ts'
import { decodeCursor, encodeCursor } from '../../../results/cursor.ts'
import { msOfBytes } from '../../../shares/pace.ts'
import { nextListPage } from '../../answers/next-list-page.ts'
import { linkHeaders, problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { originOf } from '../../rules/origin.ts'
import { LARGE } from '../../rules/read-json.ts'
import { showSchedules } from './schedule-answer.ts'

export function listSchedules(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  const { door, pace, schedules, turns } = context
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.schedules,
    schema: {
      operationId: 'listSchedules',
      tags: ['Schedules'],
      summary: 'List the schedules of a project',
      description:
        'Oldest first, each with its next times and its last root. If their requests are long, a list page has fewer than `limit`.',
      params: ProjectParams,
      querystring: createSchedulesQuery(maxLimit),
      response: {
        200: {
          description: 'The schedules.',
          headers: linkHeaders,
          content: { 'application/json': { schema: ScheduleList } },
        },
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor } = request.query
      const { projectId } = await door.getProject(request.params, request.apiKey)
      const after = cursor === undefined ? undefined : decodeCursor(cursor)
      const position = after && { created: after.created, scheduleId: after.id }
      const client = clientOf(request)
      const stored = await turns.run(client, () => schedules.list(projectId, { after: position, limit }))
      const bytes = stored.reduce((sum, { request: { length } = '' }) => sum + length, 0)
      if (bytes > LARGE) await pace.wait(client, msOfBytes(bytes))
      const last = stored.at(-1)
      if (last && (await schedules.hasAfter(projectId, last))) {
        const next = encodeCursor({ created: last.created, id: last.scheduleId })
        const address = originOf(request, context) + pathTo(paths.schedules, projectId)
        reply.header('link', nextListPage(address, { limit, cursor: next }))
      }
      const shown = await showSchedules(stored, request, context)
      return await reply.header('cache-control', 'no-store').send(shown)
    },
  })
}
