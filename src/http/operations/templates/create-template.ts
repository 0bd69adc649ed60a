import { paths, pathTo } from '../../../contract/paths.ts'
import { ProjectParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { clientOf } from '../../rules/client-of.ts'
import { originOf } from '../../rules/origin.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { sendTemplate, templateResponse } from './template-answer.ts'

export function createTemplate(server: Server, readJson: ReadJson, context: HttpContext): void {
  const { door, templates, turns, clock } = context
  server.route({
    method: 'POST',
    url: paths.templates,
    config: { access: 'write' },
    schema: {
      operationId: 'createTemplate',
      tags: ['Templates'],
      summary: 'Make a template',
      description:
        'A request that is kept under a name, to be run again. Its secrets are stored encrypted. ' +
        'Needs a key with the scope `write`.',
      params: ProjectParams,
      body: { $ref: 'TemplateRequest#' },
      response: {
        201: templateResponse('The template.', {
          Location: { type: 'string', description: 'The address of the template.' },
        }),
        ...problemResponses(
          ...([
            'bad_request',
            'unauthorized',
            'forbidden',
            'not_found',
            'request_timeout',
            'conflict',
          ] as const),
          ...(['too_large', 'unsupported_media_type', 'rate_limited', 'storage_full'] as const),
        ),
      },
    },
    handler: async (request, reply) => {
      const body = await readJson(request, reply, (any) => any)
      const { projectId } = await door.getProject(request.params, request.apiKey)
      const template = await turns.run(clientOf(request), () => templates.create(projectId, body, clock()))
      const { templateId } = template
      logAct(request, 'template made', { projectId, templateId })
      const path = pathTo(paths.template, projectId, templateId)
      reply.header('location', `${originOf(request, context)}${path}`)
      return await sendTemplate(template, request, reply.code(201), context)
    },
  })
}
