import { paths, pathTo } from '../../../contract/paths.ts'
import { createTemplatesQuery, ProjectParams } from '../../../contract/requests.ts'
import { TemplateList } from '../../../contract/templates.ts'
import { askedForMuch } from '../../answers/asked-for-much.ts'
import { nextListPage } from '../../answers/next-list-page.ts'
import { linkHeaders, problemResponses } from '../../answers/responses.ts'
import { sendAnswer } from '../../answers/send-answer.ts'
import type { HttpContext, Server } from '../../context.ts'

export function listTemplates(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.templates,
    schema: {
      operationId: 'listTemplates',
      tags: ['Templates'],
      summary: 'List the templates of a project',
      description: 'Newest first, each with its last root.',
      params: ProjectParams,
      querystring: createTemplatesQuery(maxLimit),
      response: {
        200: {
          description: 'The templates.',
          headers: linkHeaders,
          content: { 'application/json': { schema: TemplateList } },
        },
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await context.door.getProject(request.params, request.apiKey)
      const answer = await context.templateResults.list(project, { limit, cursor }, asked)
      if (answer.nextCursor) {
        const address = asked.origin + pathTo(paths.templates, project.projectId)
        reply.header('link', nextListPage(address, { limit, cursor: answer.nextCursor }))
      }
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
