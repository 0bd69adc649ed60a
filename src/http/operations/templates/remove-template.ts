import { paths } from '../../../contract/paths.ts'
import { TemplateParams } from '../../../contract/requests.ts'
import { Type } from '../../../contract/schema.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'

export function removeTemplate(server: Server, { door, templates }: HttpContext): void {
  server.route({
    method: 'DELETE',
    url: paths.template,
    config: { access: 'write' },
    schema: {
      operationId: 'removeTemplate',
      tags: ['Templates'],
      summary: 'Remove a template',
      description:
        'Its roots stay, and keep its id. A template that a schedule uses cannot be removed. Needs a key with the scope `write`.',
      params: TemplateParams,
      headers: ifMatchHeader,
      response: {
        204: Type.Null({ description: 'It is removed, with its secrets.' }),
        ...problemResponses(
          ...([
            'unauthorized',
            'forbidden',
            'not_found',
            'conflict',
            'precondition_failed',
            'rate_limited',
          ] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const { projectId, templateId, ...before } = await door.getTemplate(request.params, request.apiKey)
      const key = { projectId, templateId }
      await templates.remove(key, { revision: expectedRevision(request, before) })
      logAct(request, 'template removed', key)
      return await reply.code(204).send(null)
    },
  })
}
