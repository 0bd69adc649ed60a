import { ProjectRequest } from '../../../contract/access.ts'
import { parseId } from '../../../contract/ids.ts'
import { paths, projectPath } from '../../../contract/paths.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { etagOf } from '../../rules/if-match.ts'
import { originOf } from '../../rules/origin.ts'
import { type ReadJson, requireValid, wrongRequest } from '../../rules/read-json.ts'
import { toProjectResult } from '../get-project.ts'

export function createProject(server: Server, readJson: ReadJson, context: HttpContext): void {
  server.route({
    method: 'POST',
    url: paths.listProjects,
    config: { access: 'admin', isPaced: true },
    schema: {
      operationId: 'createProject',
      tags: ['Access'],
      summary: 'Make a project',
      description: 'Needs a key with the scope `admin`.',
      body: { $ref: 'ProjectRequest#' },
      response: {
        201: {
          description: 'The new project.',
          headers: { Location: { type: 'string', description: 'The address of the project.' } },
          content: { 'application/json': { schema: { $ref: 'Project#' } } },
        },
        ...problemResponses(
          'bad_request',
          'unauthorized',
          'forbidden',
          'conflict',
          'too_large',
          'unsupported_media_type',
          'rate_limited',
          'storage_full',
        ),
      },
    },
    handler: async (request, reply) => {
      const { name, projectId: wanted } = await readJson(request, reply, readProjectRequest)
      const project = await context.administration.createProject(name, wanted)
      const { projectId } = project
      logAct(request, 'made a project', { projectId })
      return await reply
        .code(201)
        .header('location', originOf(request, context) + projectPath(projectId))
        .header('etag', etagOf(project))
        .header('cache-control', 'no-store')
        .send(toProjectResult(project))
    },
  })
}

/** Throws `bad_request`. The id is canonical. */
export function readProjectRequest(body: unknown): { name: string; projectId: string | undefined } {
  const { name, projectId: text } = requireValid(ProjectRequest, body)
  if (text === undefined) return { name: name.trim(), projectId: undefined }
  const projectId = parseId(text)
  if (projectId === undefined) throw wrongRequest([{ pointer: '#/projectId', detail: 'must be a UUID' }])
  return { name: name.trim(), projectId }
}
