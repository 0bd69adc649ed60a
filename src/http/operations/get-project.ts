import type { KnownProject } from '../../access/door.ts'
import type { Project } from '../../contract/browsing.ts'
import { paths } from '../../contract/paths.ts'
import { ProjectParams } from '../../contract/requests.ts'
import { matchesEtag } from '../answers/conditional.ts'
import { notModified, problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'
import { etagOf } from '../rules/if-match.ts'

export function getProject(server: Server, { door, projects }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getProject,
    schema: {
      operationId: 'getProject',
      tags: ['Browsing'],
      summary: 'Get one project',
      description: 'Its name, when it was created, and how many screenshots it has.',
      params: ProjectParams,
      response: {
        200: {
          description: 'The project.',
          content: { 'application/json': { schema: { $ref: 'Project#' } } },
        },
        304: notModified,
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const project = await door.getProject(request.params, request.apiKey)
      const etag = etagOf(project)
      reply.header('etag', etag).header('cache-control', 'private, no-cache')
      if (matchesEtag(request.headers['if-none-match'], etag)) return await reply.code(304).send()
      const counted = await projects.countPictures(project.projectId)
      return await reply.send({ ...toProjectResult(project), ...counted })
    },
  })
}

export function toProjectResult({ projectId, name, created }: KnownProject): Project {
  return { projectId, name, meta: { created } }
}
