import { paths } from '../../contract/paths.ts'
import { RootParams } from '../../contract/requests.ts'
import type { HttpContext, Server } from '../context.ts'
import { originOf } from '../origin.ts'
import { notModified, problemResponses, resultHeaders } from '../responses.ts'
import { sendAnswer } from '../send-answer.ts'

export function getRoot(server: Server, context: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getRoot,
    schema: {
      operationId: 'getRoot',
      tags: ['Results'],
      summary: 'Get the screenshots of one root',
      description: 'One root with its finished jobs, in the order they were requested.',
      params: RootParams,
      response: {
        200: {
          description: 'The root.',
          headers: resultHeaders,
          content: { 'application/json': { schema: { $ref: 'RootResult#' } } },
        },
        304: notModified,
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    // Whatever stands there is text, and looked up as it is.
    validatorCompiler: () => () => true,
    handler: (request, reply) => {
      const { projectId, jobId } = request.params
      const asked = { now: context.clock(), origin: originOf(request, context) }
      context.results
        .getRoot(projectId, jobId, asked)
        .then((answer) => sendAnswer(answer, request, reply, context))
        .catch((error) => reply.send(error))
    },
  })
}
