import { paths, rootsPath } from '../../contract/paths.ts'
import { createRootsQuery, ProjectParams } from '../../contract/requests.ts'
import { RootList } from '../../contract/results.ts'
import { startOf } from '../../results/root-list-pages.ts'
import { toSought } from '../../results/search.ts'
import { askedForMuch } from '../answers/asked-for-much.ts'
import { nextListPage } from '../answers/next-list-page.ts'
import { listPageHeaders, notModified, problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'

export function listRoots(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listRoots,
    schema: {
      operationId: 'listRoots',
      tags: ['Results'],
      summary: 'List the roots of a project',
      description:
        'All roots, newest first, each with its finished jobs, as one array of any size. ' +
        'With `limit`, one list page of them and a `Link` header to the next. With `q`, `tag` or `template`, those that match: a list page ' +
        'may then have fewer, or none, and still a `Link`. Continue while there is one.',
      params: ProjectParams,
      querystring: createRootsQuery(maxLimit),
      response: {
        200: {
          description: 'The roots.',
          headers: listPageHeaders,
          content: { 'application/json': { schema: RootList } },
        },
        304: notModified,
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit, cursor, q, tag, template } = request.query
      const isListPage = limit !== undefined || cursor !== undefined
      const page = isListPage ? { limit: limit ?? maxLimit, after: startOf({ cursor }) } : undefined
      const asked = askedForMuch(request, reply, context)
      const project = await context.door.getProject(request.params, request.apiKey)
      const answer = await context.results.listRoots(
        project,
        { page, sought: toSought({ q, tag, template }) },
        asked,
      )
      if (page && answer.nextCursor) {
        const path = rootsPath(project.projectId)
        reply.header(
          'link',
          nextListPage(asked.origin + path, {
            limit: page.limit,
            cursor: answer.nextCursor,
            q,
            tag,
            template,
          }),
        )
      }
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
