import { History, OVERVIEW_JOBS, OverviewList, PageList } from '../../contract/browsing.ts'
import { historyPath, overviewsPath, pagesPath, paths } from '../../contract/paths.ts'
import { createListQueries } from '../../contract/requests.ts'
import { startOf } from '../../results/root-list-pages.ts'
import { toSought } from '../../results/search.ts'
import { json, linkHeaders, linkNext, listPageHeaders, notModified } from '../answers/responses.ts'
import { askedForMuch, sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext } from '../context.ts'
import type { Declare } from '../operation.ts'
import { originOf } from '../rules/origin.ts'

export function browsing(declare: Declare, context: HttpContext): void {
  const { door, overviews, pages } = context
  const maxLimit = context.config.limits.listPage
  const queries = createListQueries(maxLimit)
  declare({
    id: 'listOverviews',
    summary: 'List the roots of a project at a glance',
    description:
      `Newest first: the state of each, its first ${OVERVIEW_JOBS} screenshots and its first ${OVERVIEW_JOBS} failures. ` +
      'A root must match all parameters. With `q`, `tag`, `template`, `state` or `mark`, a list page ' +
      'may have fewer than `limit`, or none, and still have a `Link`. Continue while there is one.',
    path: paths.listOverviews,
    query: queries.overviews,
    answers: { 200: json('The overviews.', OverviewList, linkHeaders) },
    async run(request, reply) {
      const { limit = maxLimit, cursor, q, tag, template, state, mark, from, to } = request.query
      const asked = askedForMuch(request, reply, context)
      const after = startOf({ cursor, to })
      const project = await door.getProject(request.params, request.apiKey)
      const sought = toSought({ q, tag, template, mark, states: state })
      const answer = await overviews.list(project, { limit, after, from, sought }, asked)
      const question = { ...request.query, limit, cursor: answer.nextCursor }
      linkNext(reply, asked.origin + overviewsPath(project.projectId), question)
      return await sendAnswer(answer, request, reply, context)
    },
  })
  declare({
    id: 'getRootOverview',
    summary: 'Get one root at a glance',
    description: `Its state, and its first ${OVERVIEW_JOBS} screenshots.`,
    path: paths.getRootOverview,
    answers: { 200: json('The overview.', 'RootOverview') },
    async run(request, reply) {
      const asked = { now: context.clock(), origin: originOf(request, context) }
      const root = await door.getRoot(request.params, request.apiKey)
      return await sendAnswer(overviews.get(root, asked), request, reply, context)
    },
  })
  declare({
    id: 'listPages',
    summary: 'List the pages of a project',
    description:
      'Each address once, in the order of its bytes. Addresses that share their first 500 characters may be in ' +
      'another order. With `q`, only those whose address or newest name contains the text: a list page ' +
      'may then have fewer than `limit`, or none, and still have a `Link`. Continue while there is one.',
    path: paths.listPages,
    query: queries.pages,
    answers: { 200: json('The pages.', PageList, listPageHeaders), 304: notModified },
    async run(request, reply) {
      const { limit = maxLimit, cursor, q } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await door.getProject(request.params, request.apiKey)
      const answer = await pages.list(project, { limit, cursor, q }, asked)
      linkNext(reply, asked.origin + pagesPath(project.projectId), { limit, cursor: answer.nextCursor, q })
      return await sendAnswer(answer, request, reply, context)
    },
  })
  declare({
    id: 'listHistory',
    summary: 'List the screenshots of one page',
    description:
      'All screenshots of one address, newest first, from all roots. Those with the same `view` can be compared. ' +
      'With `fullPage` or `width`, only those requested in this way: a list page may then have fewer than ' +
      '`limit`, or none, and still have a `Link`. Continue while there is one.',
    path: paths.listHistory,
    query: queries.history,
    answers: {
      200: json('The screenshots. None if the address is unknown.', History, listPageHeaders),
      304: notModified,
    },
    async run(request, reply) {
      const { url, limit = maxLimit, cursor, fullPage, width } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await door.getProject(request.params, request.apiKey)
      const answer = await pages.history(project, { url, limit, cursor, fullPage, width }, asked)
      const question = { url, limit, cursor: answer.nextCursor, fullPage, width }
      linkNext(reply, asked.origin + historyPath(project.projectId), question)
      return await sendAnswer(answer, request, reply, context)
    },
  })
}
