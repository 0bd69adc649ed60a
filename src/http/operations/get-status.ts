import { getProgress } from '../../capture/status.ts'
import { paths } from '../../contract/paths.ts'
import { RootParams, StatusQuery } from '../../contract/requests.ts'
import { isFinal } from '../../contract/status.ts'
import type { HttpContext, Server } from '../context.ts'
import { problemResponses } from '../responses.ts'
import { whenOver } from '../when-over.ts'

/** Of the time that a connection may be idle, or an answer may take; who waits longer asks again. */
const LONGEST_SHARE = 0.8

export function getStatus(server: Server, { store, watch, whyWaiting, config }: HttpContext): void {
  const over = whenOver(server)
  const longestMs = Math.floor(Math.min(config.limits.idleMs, config.limits.responseMs) * LONGEST_SHARE)
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getStatus,
    schema: {
      operationId: 'getStatus',
      tags: ['Capturing'],
      summary: 'How far a root is',
      description: 'For the root and for each of its pages. With `wait`, as soon as the root is finished.',
      params: RootParams,
      querystring: StatusQuery,
      response: {
        200: {
          description: 'The status.',
          content: { 'application/json': { schema: { $ref: 'RootStatus#' } } },
        },
        ...problemResponses('bad_request', 'unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { projectId, jobId } = request.params
      const waitMs = Math.min((request.query.wait ?? 0) * 1_000, longestMs)
      const signal = AbortSignal.any([over(reply), AbortSignal.timeout(waitMs)])
      let progress = await getProgress(store, projectId, jobId, whyWaiting)
      const root = { projectId: projectId.toLowerCase(), rootId: progress.status.rootId }
      while (!isFinal(progress.status.state) && waitMs > 0 && !signal.aborted) {
        await watch.newer(root, progress.version, signal)
        progress = await getProgress(store, projectId, jobId, whyWaiting)
      }
      return await reply.header('cache-control', 'no-store').send(progress.status)
    },
  })
}
