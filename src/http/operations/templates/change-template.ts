import { paths } from '../../../contract/paths.ts'
import { TemplateParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { sendTemplate, templateResponse } from './template-answer.ts'

export function changeTemplate(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { door, templates, turns, clock } = context
  server.route({
    method: 'PUT',
    url: paths.template,
    config: { access: 'write' },
    schema: {
      operationId: 'changeTemplate',
      tags: ['Templates'],
      summary: 'Change a template',
      description:
        'Replaces all of it. An empty text in the place of a secret keeps the secret, as long as it goes to the same origins, ' +
        'and the rest of a login is unchanged. Needs a key with the scope `write`.',
      params: TemplateParams,
      headers: ifMatchHeader,
      body: { $ref: 'TemplateRequest#' },
      response: {
        200: templateResponse('The changed template.'),
        ...problemResponses(
          ...(['bad_request', 'unauthorized', 'forbidden', 'not_found', 'request_timeout'] as const),
          ...([
            'precondition_failed',
            'too_large',
            'unsupported_media_type',
            'rate_limited',
            'storage_full',
          ] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const body = await readJson(request, reply, (any) => any)
      const before = await door.getTemplate(request.params, request.apiKey)
      const { projectId, templateId } = before
      const expected = { now: clock(), revision: expectedRevision(request, before) }
      const changed = await turns.run(clientOf(request), () => templates.change(before, body, expected))
      logAct(request, 'template changed', { projectId, templateId })
      return await sendTemplate(changed, request, reply, context)
    },
  })
}
