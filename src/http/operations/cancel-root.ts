import { paths } from '../../contract/paths.ts'
import { RootParams } from '../../contract/requests.ts'
import { Type } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'
import { logAct } from '../answers/log-act.ts'
import { problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'

export function cancelRoot(server: Server, { door, cancel }: HttpContext): void {
  server.route({
    method: 'DELETE',
    url: paths.cancelRoot,
    config: { access: 'write' },
    schema: {
      operationId: 'cancelRoot',
      tags: ['Capturing'],
      summary: 'Cancel a scheduled root',
      description:
        'As long as it has not begun. The root stays, without jobs and with the state `cancelled`; its secrets are deleted. Needs a ' +
        'key with the scope `write`.',
      params: RootParams,
      response: {
        204: Type.Null({ description: 'It is cancelled, or was before.' }),
        ...problemResponses('unauthorized', 'forbidden', 'not_found', 'conflict', 'rate_limited'),
      },
    },
    handler: async (request, reply) => {
      const { projectId, rootId } = await door.getRoot(request.params, request.apiKey)
      if (!(await cancel({ projectId, rootId })))
        throw new AppError('conflict', 'this root has begun: only a scheduled root can be cancelled')
      logAct(request, 'scheduled root cancelled', { projectId, rootId })
      return await reply.code(204).send(null)
    },
  })
}
