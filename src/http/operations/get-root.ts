import type { FastifyReply, FastifyRequest } from 'fastify'
import { paths, rootPath } from '../../contract/paths.ts'
import { createJobsQuery, RootParams } from '../../contract/requests.ts'
import { decodePosition } from '../../results/cursor.ts'
import { askedForMuch } from '../answers/asked-for-much.ts'
import { nextListPage } from '../answers/next-list-page.ts'
import { listPageHeaders, notModified, problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'
import { originOf } from '../rules/origin.ts'

interface ListPage {
  readonly limit?: number
  readonly cursor?: string
}

type RootRequest = FastifyRequest<{ Params: RootParams; Querystring: ListPage }>

export function getRoot(server: Server, context: HttpContext): void {
  const { door, results } = context
  const maxLimit = context.config.limits.listPage
  const sendRoot = async (request: RootRequest, reply: FastifyReply) => {
    const root = await door.getRoot(request.params, request.apiKey)
    const asked = { now: context.clock(), origin: originOf(request, context) }
    // Most answers are there at once, and are not awaited: that takes time.
    const answer = results.getRoot(root, asked)
    const sent = sendAnswer(answer instanceof Promise ? await answer : answer, request, reply, context)
    if (sent) await sent
  }
  const sendPage = async (request: RootRequest, reply: FastifyReply) => {
    const { limit = maxLimit, cursor } = request.query
    const from = cursor === undefined ? 0 : decodePosition(cursor)
    const asked = askedForMuch(request, reply, context)
    const root = await door.getRoot(request.params, request.apiKey)
    const answer = await results.getRootListPage(root, { limit, from }, asked)
    if (answer.nextCursor) {
      const address = asked.origin + rootPath(root.projectId, root.rootId)
      reply.header('link', nextListPage(address, { limit, cursor: answer.nextCursor }))
    }
    await sendAnswer(answer, request, reply, context)
  }
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getRoot,
    schema: {
      operationId: 'getRoot',
      tags: ['Results'],
      summary: 'Get the screenshots of one root',
      description:
        'One root with its finished jobs, in the order they were requested. With `limit`, one list page of them and a ' +
        '`Link` header to the next.',
      params: RootParams,
      querystring: createJobsQuery(maxLimit),
      response: {
        200: {
          description: 'The root.',
          headers: listPageHeaders,
          content: { 'application/json': { schema: { $ref: 'RootResult#' } } },
        },
        304: notModified,
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: (request, reply) => {
      const send = asksForListPage(request.query) ? sendPage : sendRoot
      // Not returned to Fastify, which would await it a second time.
      send(request, reply).catch((error) => reply.send(error))
    },
  })
}

function asksForListPage({ limit, cursor }: ListPage): boolean {
  return limit !== undefined || cursor !== undefined
}
