import { openProject } from '../../access/door.ts'
import { paths } from '../../contract/paths.ts'
import { ProjectParams } from '../../contract/requests.ts'
import { parseScreenshotRequest, type RequestLimits } from '../../contract/screenshot-request.ts'
import { timeOf } from '../../contract/when.ts'
import { acceptedResponse, acceptRoot } from '../answers/accept-root.ts'
import { problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../rules/idempotency-key.ts'
import { type ReadJson, wrongRequest } from '../rules/read-json.ts'

export function requestScreenshots(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { config, requests, requireBrowser, clock } = context
  server.route({
    method: 'POST',
    url: paths.requestScreenshots,
    config: { access: 'write' },
    schema: {
      operationId: 'requestScreenshots',
      tags: ['Capturing'],
      summary: 'Request screenshots',
      description:
        'The root can be read at once, with no jobs; each job appears as soon as its pictures are stored. ' +
        'Needs a key with the scope `write`.',
      params: ProjectParams,
      headers: idempotencyKeyHeader,
      body: { $ref: 'ScreenshotRequest#' },
      response: {
        201: acceptedResponse,
        ...problemResponses(
          'bad_request',
          'unauthorized',
          'forbidden',
          'not_found',
          'request_timeout',
          'conflict',
          'too_large',
          'unsupported_media_type',
          'rate_limited',
          'no_browser',
          'storage_full',
        ),
      },
    },
    handler: async (request, reply) => {
      const { asked, when } = await readJson(request, reply, (body) => readRequest(body, config.limits))
      const idempotencyKey = readIdempotencyKey(request)
      await requireBrowser()
      const projectId = openProject((request.params as ProjectParams).projectId, request.apiKey)
      const now = clock()
      const scheduled = timeOf(when, now)
      const origin = scheduled === undefined ? {} : { scheduled }
      const accept = () => requests.accept(projectId, { ...asked, when }, { now, idempotencyKey, origin })
      return await acceptRoot(request, reply, context, { projectId, accept })
    },
  })
}

/** Throws `bad_request` with all mistakes. */
function readRequest(body: unknown, limits: RequestLimits) {
  const { asked, when, mistakes } = parseScreenshotRequest(body, limits)
  if (!asked) throw wrongRequest(mistakes)
  return { asked, when }
}
