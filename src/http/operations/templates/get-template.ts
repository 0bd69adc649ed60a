import { paths } from '../../../contract/paths.ts'
import { TemplateParams } from '../../../contract/requests.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { sendTemplate, templateResponse } from './template-answer.ts'

export function getTemplate(server: Server, context: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.template,
    schema: {
      operationId: 'getTemplate',
      tags: ['Templates'],
      summary: 'Get one template',
      description: 'Secrets are empty texts. They can be sent back as they are: then they are kept.',
      params: TemplateParams,
      response: {
        200: templateResponse('The template.'),
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const template = await context.door.getTemplate(request.params, request.apiKey)
      return await sendTemplate(template, request, reply, context)
    },
  })
}
