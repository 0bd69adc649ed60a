import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { getProgress, type Progress } from '../../capture/status.ts'
import { paths } from '../../contract/paths.ts'
import { RootParams } from '../../contract/requests.ts'
import { Type } from '../../contract/schema.ts'
import { isFinal, type RootStatus } from '../../contract/status.ts'
import type { HttpContext, Server } from '../context.ts'
import { problemResponses } from '../responses.ts'
import { whenOver } from '../when-over.ts'

/** Whoever is in between takes a connection without any bytes for a dead one. */
const LONGEST_SILENCE_MS = 15_000
/** Of the time that an answer may take: then the stream ends well, and whoever wants more comes back. */
const LONGEST_SHARE = 0.8
/** How soon a client comes back. */
const RETRY_MS = 1_000

/** The status as server-sent events: all of it first, then whatever changes. */
export function watchStatus(server: Server, { store, watch, whyWaiting, config }: HttpContext): void {
  const over = whenOver(server)
  const silenceMs = Math.floor(Math.min(LONGEST_SILENCE_MS, config.limits.idleMs / 2))
  const longestMs = Math.floor(config.limits.responseMs * LONGEST_SHARE)
  server.route({
    method: 'GET',
    url: paths.watchStatus,
    schema: {
      operationId: 'watchStatus',
      tags: ['Capturing'],
      summary: 'How far a root is, as it happens',
      description:
        'Server-sent events of the type `status`. Each is a status whose `urls` are those that changed since the ' +
        'event before; the first has all of them. The stream ends when the root is finished. A client that was cut ' +
        'off goes on with `Last-Event-ID`; one that has seen everything is answered 204 and need not come back.',
      params: RootParams,
      headers: {
        type: 'object',
        properties: { 'last-event-id': { type: 'string', description: 'The `id` of the last event seen.' } },
      },
      response: {
        200: {
          description: 'The events.',
          content: { 'text/event-stream': { schema: Type.String() } },
        },
        204: Type.Null({ description: 'The root is finished, and `Last-Event-ID` was the last event.' }),
        ...problemResponses('unauthorized', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    handler: async (request, reply) => {
      const { projectId, jobId } = request.params
      let seen = readEventId(request.headers['last-event-id'])
      let progress = await getProgress(store, projectId, jobId, whyWaiting)
      // Of another root, or made up: it says nothing of what was seen of this one.
      if (seen > progress.version) seen = 0
      if (isFinal(progress.status.state) && progress.version === seen) {
        return await reply.code(204).header('cache-control', 'no-store').send(null)
      }
      const root = { projectId: projectId.toLowerCase(), rootId: progress.status.rootId }
      const gone = AbortSignal.any([over(reply), AbortSignal.timeout(longestMs)])
      reply.hijack()
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      /** Why it waits is no change of the root's, and has no version. */
      let told: string | undefined
      try {
        await write(reply.raw, `retry: ${RETRY_MS}\n\n`)
        for (;;) {
          const { waiting } = progress.status
          const isNew = progress.version > seen || waiting?.reason !== told
          if (isNew) await write(reply.raw, toEvent(progress, seen))
          told = waiting?.reason
          seen = Math.max(seen, progress.version)
          if (isFinal(progress.status.state) || gone.aborted) break
          const silence = AbortSignal.timeout(silenceMs)
          await watch.newer(root, seen, AbortSignal.any([gone, silence]))
          if (silence.aborted) await write(reply.raw, ':\n\n')
          progress = await getProgress(store, projectId, jobId, whyWaiting)
        }
        reply.raw.end()
      } catch (error) {
        request.log.error({ reqId: request.id, err: error }, 'the events broke off')
        reply.raw.destroy()
      }
    },
  })
}

/** With those pages that changed since the client has `seen` them. */
function toEvent({ status, version, changed }: Progress, seen: number): string {
  const urls = status.urls.filter(({ position }) => (changed.get(position) ?? version) > seen)
  const news: RootStatus = { ...status, urls }
  return `event: status\nid: ${version}\ndata: ${JSON.stringify(news)}\n\n`
}

function readEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0
}

/** Until it was taken, or nobody is there to take it. */
function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    response.once('close', resolve)
    response.write(text, () => {
      response.off('close', resolve)
      resolve()
    })
  })
}
