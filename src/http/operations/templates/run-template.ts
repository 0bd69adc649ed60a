import { paths } from '../../../contract/paths.ts'
import { TemplateParams } from '../../../contract/requests.ts'
import { readRun } from '../../../templates/templates.ts'
import { acceptedResponse, acceptRoot } from '../../answers/accept-root.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../../rules/idempotency-key.ts'
import type { ReadJson } from '../../rules/read-json.ts'

export function runTemplate(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { config, door, templates, requireBrowser, clock } = context
  server.route({
    method: 'POST',
    url: paths.template,
    config: { access: 'write' },
    schema: {
      operationId: 'runTemplate',
      tags: ['Templates'],
      summary: 'Run a template',
      description:
        'Requests its pages. The body may be left out. The root can be read at once, with no jobs, as after a request for ' +
        'screenshots. Needs a key with the scope `write`.',
      params: TemplateParams,
      headers: idempotencyKeyHeader,
      body: { $ref: 'TemplateRun#' },
      response: {
        201: acceptedResponse,
        ...problemResponses(
          ...([
            'bad_request',
            'unauthorized',
            'forbidden',
            'not_found',
            'request_timeout',
            'conflict',
          ] as const),
          ...(['too_large', 'unsupported_media_type', 'rate_limited', 'no_browser', 'storage_full'] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const read = (body: unknown) => readRun(body, config.limits)
      const run = await readJson(request, reply, read, { absent: {} })
      const idempotencyKey = readIdempotencyKey(request)
      const { projectId, templateId, request: kept } = await door.getTemplate(request.params, request.apiKey)
      await requireBrowser()
      const accept = async () => {
        const key = { projectId, templateId }
        const rootId = await templates.run(key, run, { now: clock(), idempotencyKey })
        logAct(request, 'template run', { ...key, rootId })
        return rootId
      }
      return await acceptRoot(request, reply, context, { projectId, kept, accept })
    },
  })
}
