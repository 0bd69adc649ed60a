import { paths } from '../../../contract/paths.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { describeSession, sessionResponse } from './describe-session.ts'

export function getSession(server: Server, context: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.session,
    config: { access: 'session' },
    schema: {
      operationId: 'getSession',
      tags: ['Access'],
      summary: 'Who asks',
      description:
        'The keys of this request: that of its header, or those of its cookie. Without a key, none.',
      response: { 200: sessionResponse, ...problemResponses('unauthorized', 'rate_limited', 'unavailable') },
    },
    handler: async (request, reply) =>
      await reply.header('cache-control', 'no-store').send(describeSession(request, context)),
  })
}
