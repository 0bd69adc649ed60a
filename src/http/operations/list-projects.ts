import type { GivenKey } from '../../access/keys.ts'
import { ProjectList } from '../../contract/browsing.ts'
import { paths, projectsPath } from '../../contract/paths.ts'
import { createProjectsQuery } from '../../contract/requests.ts'
import { nextListPage } from '../answers/next-list-page.ts'
import { linkHeaders, problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'
import { originOf } from '../rules/origin.ts'
import { toProjectResult } from './get-project.ts'

export function listProjects(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.listPage
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listProjects,
    schema: {
      operationId: 'listProjects',
      tags: ['Browsing'],
      summary: 'List the projects',
      description: 'Oldest first. If keys are required, only those that the key opens.',
      querystring: createProjectsQuery(maxLimit),
      response: {
        200: {
          description: 'The projects.',
          headers: linkHeaders,
          content: { 'application/json': { schema: ProjectList } },
        },
        ...problemResponses('bad_request', 'unauthorized', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { limit = maxLimit, cursor } = request.query
      const only = onlyOf(request.keys)
      const { projects, nextCursor } = await context.projects.list({ limit, cursor, only })
      if (nextCursor) {
        reply.header(
          'link',
          nextListPage(originOf(request, context) + projectsPath, { limit, cursor: nextCursor }),
        )
      }
      return await reply.header('cache-control', 'private, no-cache').send(projects.map(toProjectResult))
    },
  })
}

/** The projects of these keys. Undefined: all projects. */
function onlyOf(keys: readonly GivenKey[] | undefined): string[] | undefined {
  if (!keys || keys.some(({ key }) => key.scope === 'admin')) return undefined
  return keys.flatMap(({ key }) => key.projectId ?? [])
}
