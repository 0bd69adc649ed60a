import { paths } from '../../../contract/paths.ts'
import { ProjectParams } from '../../../contract/requests.ts'
import { Type } from '../../../contract/schema.ts'
import { AppError } from '../../../errors.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'

export function removeProject(server: Server, { door, removeProject, clock }: HttpContext): void {
  server.route({
    method: 'DELETE',
    url: paths.getProject,
    config: { access: 'admin', isPaced: true },
    schema: {
      operationId: 'removeProject',
      tags: ['Access'],
      summary: 'Remove a project',
      description:
        'With all its roots, pictures and keys. It is hidden and its keys are gone when the answer comes. Its roots and ' +
        'pictures are removed after that, one by one. This cannot be undone. Needs a key with the scope `admin`.',
      params: ProjectParams,
      headers: ifMatchHeader,
      response: {
        204: Type.Null({ description: 'It is hidden, and is being removed.' }),
        ...problemResponses(
          'unauthorized',
          'forbidden',
          'not_found',
          'precondition_failed',
          'rate_limited',
          'storage_full',
        ),
      },
    },
    handler: async (request, reply) => {
      const project = await door.getProject(request.params as ProjectParams, request.apiKey)
      expectedRevision(request, project)
      const { projectId } = project
      if (!(await removeProject(projectId, clock()))) throw new AppError('not_found')
      logAct(request, 'removed a project', { projectId })
      return await reply.code(204).send(null)
    },
  })
}
