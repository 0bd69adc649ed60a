import type { Project } from '../../contract/browsing.ts'
import { parseId } from '../../contract/ids.ts'
import { paths } from '../../contract/paths.ts'
import { ProjectParams } from '../../contract/requests.ts'
import { AppError } from '../../errors.ts'
import type { Project as StoredProject } from '../../store/store.ts'
import { problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'

export function getProject(server: Server, { store }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getProject,
    schema: {
      operationId: 'getProject',
      tags: ['Browsing'],
      summary: 'Get one project',
      params: ProjectParams,
      response: {
        200: {
          description: 'The project.',
          content: { 'application/json': { schema: { $ref: 'Project#' } } },
        },
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const projectId = parseId(request.params.projectId)
      const project = projectId && (await store.findProject(projectId))
      if (!project) throw new AppError('not_found')
      return await reply.header('cache-control', 'private, no-cache').send(toProjectResult(project))
    },
  })
}

export function toProjectResult({ projectId, name, created }: StoredProject): Project {
  return { projectId, name, meta: { created } }
}
