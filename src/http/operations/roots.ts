import type { FastifyReply } from 'fastify'
import { paths, rootPath, rootsPath } from '../../contract/paths.ts'
import { createListQueries } from '../../contract/requests.ts'
import { RootList } from '../../contract/results.ts'
import { decodePosition, startOf } from '../../results/root-list-pages.ts'
import { toSought } from '../../results/search.ts'
import { json, linkNext, listPageHeaders, notModified } from '../answers/responses.ts'
import { askedForMuch, sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext } from '../context.ts'
import type { Declare, OperationRequest } from '../operation.ts'
import { originOf } from '../rules/origin.ts'

interface ListPage {
  readonly limit?: number
  readonly cursor?: string
}

type RootRequest = OperationRequest<typeof paths.getRoot, ListPage>

/** The two frozen answers. */
export function roots(declare: Declare, context: HttpContext): void {
  const { door, results } = context
  const maxLimit = context.config.limits.listPage
  const queries = createListQueries(maxLimit)
  declare({
    id: 'listRoots',
    summary: 'List the roots of a project',
    description:
      'All roots, newest first, each with its finished jobs, as one array of any size. ' +
      'With `limit`, one list page of them and a `Link` header to the next. With `q`, `tag` or `template`, only roots that match: a list page ' +
      'may then have fewer, or none, and still have a `Link`. Continue while there is one.',
    path: paths.listRoots,
    query: queries.roots,
    answers: { 200: json('The roots.', RootList, listPageHeaders), 304: notModified },
    async run(request, reply) {
      const { limit, cursor, q, tag, template } = request.query
      const page = asksForListPage(request.query)
        ? { limit: limit ?? maxLimit, after: startOf({ cursor }) }
        : undefined
      const asked = askedForMuch(request, reply, context)
      const project = await door.getProject(request.params, request.apiKey)
      const sought = toSought({ q, tag, template })
      const answer = await results.listRoots(project, { page, sought }, asked)
      const question = { ...request.query, limit: page?.limit, cursor: page && answer.nextCursor }
      linkNext(reply, asked.origin + rootsPath(project.projectId), question)
      return await sendAnswer(answer, request, reply, context)
    },
  })
  const sendRoot = async (request: RootRequest, reply: FastifyReply) => {
    const root = await door.getRoot(request.params, request.apiKey)
    const asked = { now: context.clock(), origin: originOf(request, context) }
    // Most answers are ready, and are not awaited: that would take time.
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
    const address = asked.origin + rootPath(root.projectId, root.rootId)
    linkNext(reply, address, { limit, cursor: answer.nextCursor })
    await sendAnswer(answer, request, reply, context)
  }
  declare({
    id: 'getRoot',
    summary: 'Get the screenshots of one root',
    description:
      'One root with its finished jobs, in the order they were requested. With `limit`, one list page of them and a ' +
      '`Link` header to the next.',
    path: paths.getRoot,
    query: queries.jobs,
    answers: { 200: json('The root.', 'RootResult', listPageHeaders), 304: notModified },
    run(request, reply) {
      const send = asksForListPage(request.query) ? sendPage : sendRoot
      // Not returned to Fastify, which would await it a second time.
      send(request, reply).catch((error) => reply.send(error))
    },
  })
}

function asksForListPage({ limit, cursor }: ListPage): boolean {
  return limit !== undefined || cursor !== undefined
}
