import { paths } from '../../../contract/paths.ts'
import { ScheduleParams } from '../../../contract/requests.ts'
import { acceptedResponse, acceptRoot } from '../../answers/accept-root.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import type { ReadJson } from '../../rules/read-json.ts'

export function runSchedule(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { door, schedules, requireBrowser } = context
  server.route({
    method: 'POST',
    url: paths.runSchedule,
    config: { access: 'write' },
    schema: {
      operationId: 'runSchedule',
      tags: ['Schedules'],
      summary: 'Run a schedule now',
      description:
        'Beside its times, also if it is paused, and whether or not the root before is finished. Needs a key with the scope ' +
        '`write`.',
      params: ScheduleParams,
      response: {
        201: acceptedResponse,
        ...problemResponses(
          ...(['bad_request', 'unauthorized', 'forbidden', 'not_found', 'unsupported_media_type'] as const),
          ...(['rate_limited', 'no_browser', 'storage_full'] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      await readJson(request, reply, () => undefined, { absent: {} })
      const schedule = await door.getSchedule(request.params, request.apiKey)
      const { projectId, scheduleId, request: kept } = schedule
      await requireBrowser()
      const accept = async () => {
        const rootId = await schedules.run(schedule)
        logAct(request, 'schedule run', { projectId, scheduleId, rootId })
        return rootId
      }
      return await acceptRoot(request, reply, context, { projectId, kept, accept })
    },
  })
}
