import { ProjectList } from '../../contract/browsing.ts'
import { paths, projectsPath } from '../../contract/paths.ts'
import { createProjectsQuery } from '../../contract/requests.ts'
import { decodeCursor, encodeCursor } from '../../results/cursor.ts'
import type { Project, ProjectPosition, Store } from '../../store/store.ts'
import { nextPage } from '../answers/next-page.ts'
import { linkHeaders, problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'
import { originOf } from '../rules/origin.ts'
import { toProjectResult } from './get-project.ts'

export function listProjects(server: Server, context: HttpContext): void {
  const maxLimit = context.config.limits.page
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.listProjects,
    schema: {
      operationId: 'listProjects',
      tags: ['Browsing'],
      summary: 'List the projects',
      description: 'Oldest first. Where keys are required: the project of the key.',
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
      const { created, id: projectId } = cursor === undefined ? {} : decodeCursor(cursor)
      const after = created === undefined || projectId === undefined ? undefined : { created, projectId }
      const found = request.apiKey
        ? await listOne(context.store, request.apiKey.projectId, after)
        : await context.store.listProjects({ after, limit: limit + 1 })
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      if (last) {
        const place = encodeCursor({ created: last.created, id: last.projectId })
        reply.header('link', nextPage(originOf(request, context) + projectsPath, { limit, cursor: place }))
      }
      return await reply.header('cache-control', 'private, no-cache').send(shown.map(toProjectResult))
    },
  })
}

/** For whom there is no other. */
async function listOne(
  store: Store,
  projectId: string,
  after: ProjectPosition | undefined,
): Promise<Project[]> {
  const project = await store.findProject(projectId)
  if (!project) return []
  const isBehind =
    !after ||
    project.created > after.created ||
    (project.created === after.created && projectId > after.projectId)
  return isBehind ? [project] : []
}
