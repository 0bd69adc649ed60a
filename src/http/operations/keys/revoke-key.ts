import { KeyParams } from '../../../contract/access.ts'
import { paths } from '../../../contract/paths.ts'
import { Type } from '../../../contract/schema.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'

export function revokeKey(server: Server, { administration }: HttpContext): void {
  server.route({
    method: 'DELETE',
    url: paths.key,
    config: { access: 'admin', isPaced: true },
    schema: {
      operationId: 'revokeKey',
      tags: ['Access'],
      summary: 'Revoke a key',
      description:
        'It stops working with the next request, and so do sessions with it. An operator without an admin key makes another ' +
        'one on the command line. Needs a key with the scope `admin`.',
      params: KeyParams,
      response: {
        204: Type.Null({ description: 'It is revoked.' }),
        ...problemResponses('unauthorized', 'forbidden', 'not_found', 'rate_limited', 'storage_full'),
      },
    },
    handler: async (request, reply) => {
      const { keyId } = request.params as { keyId: string }
      await administration.revokeKey(keyId)
      logAct(request, 'revoked a key', { revoked: keyId })
      return await reply.code(204).send(null)
    },
  })
}
