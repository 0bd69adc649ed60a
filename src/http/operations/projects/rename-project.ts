import { paths } from '../../../contract/paths.ts'
import { ProjectParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { etagOf, expectedRevision, ifMatchHeader } from '../../rules/if-match.ts'
import { type ReadJson, wrongRequest } from '../../rules/read-json.ts'
import { toProjectResult } from '../get-project.ts'
import { readProjectRequest } from './create-project.ts'

export function renameProject(
  server: Server,
  readJson: ReadJson,
  { door, administration }: HttpContext,
): void {
  server.route({
    method: 'PUT',
    url: paths.getProject,
    config: { access: 'admin', isPaced: true },
    schema: {
      operationId: 'renameProject',
      tags: ['Access'],
      summary: 'Rename a project',
      description: 'Needs a key with the scope `admin`.',
      params: ProjectParams,
      headers: ifMatchHeader,
      body: { $ref: 'ProjectRequest#' },
      response: {
        200: {
          description: 'The project with its new name.',
          content: { 'application/json': { schema: { $ref: 'Project#' } } },
        },
        ...problemResponses(
          'bad_request',
          'unauthorized',
          'forbidden',
          'not_found',
          'precondition_failed',
          'too_large',
          'unsupported_media_type',
          'rate_limited',
          'storage_full',
        ),
      },
    },
    handler: async (request, reply) => {
      const { name, projectId: other } = await readJson(request, reply, readProjectRequest)
      const project = await door.getProject(request.params as ProjectParams, request.apiKey)
      const { projectId } = project
      if (other !== undefined && other !== projectId) {
        throw wrongRequest([{ pointer: '#/projectId', detail: 'cannot be changed' }])
      }
      const revision = expectedRevision(request, project)
      const renamed = await administration.renameProject(projectId, name, revision)
      logAct(request, 'renamed a project', { projectId })
      return await reply
        .header('etag', etagOf(renamed))
        .header('cache-control', 'no-store')
        .send(toProjectResult(renamed))
    },
  })
}
