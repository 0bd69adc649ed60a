import type { ImportedStatus } from '../../capture/status.ts'
import { paths } from '../../contract/paths.ts'
import { RootParams } from '../../contract/requests.ts'
import { Type } from '../../contract/schema.ts'
import { EventStream } from '../answers/event-stream.ts'
import type { OpenAnswers } from '../answers/open-answers.ts'
import { problemResponses } from '../answers/responses.ts'
import { takePieces } from '../answers/take-pieces.ts'
import { writePieces } from '../answers/write-pieces.ts'
import type { HttpContext, Server } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { headersOf } from '../rules/common-headers.ts'

/** The longest stream, as a part of RESPONSE_TIMEOUT. Then it ends properly, and the client may connect again. */
const LONGEST_SHARE = 0.8
/** How soon a client connects again. */
const RETRY_MS = 1_000

/** The status as server-sent events: first all pages, then those that change. */
export function watchStatus(server: Server, openAnswers: OpenAnswers, context: HttpContext): void {
  const { door, importedStatus, watchers, config, turns, unread } = context
  const longestMs = Math.floor(config.limits.responseMs * LONGEST_SHARE)
  server.route({
    method: 'GET',
    url: paths.watchStatus,
    schema: {
      operationId: 'watchStatus',
      tags: ['Capturing'],
      summary: 'Watch the status of a root',
      description:
        'Server-sent events of the type `status`. Each is a status whose `urls` are those that changed since the ' +
        'event before; the first has all of them. The stream ends when the root is finished. A client that lost its ' +
        'connection continues with `Last-Event-ID`. If it has seen everything, the answer is 204.',
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
      const root = await door.getRoot(request.params, request.apiKey)
      const version = await watchers.statuses.version(root)
      const lastSeen = readEventId(request.headers['last-event-id'])
      // A version that this root does not have: all pages are sent.
      const since = lastSeen > (version ?? IMPORTED) ? 0 : lastSeen
      const client = clientOf(request)
      const inTurn = turns.for(client)
      const isOver =
        version === undefined
          ? since === IMPORTED
          : since === version && (await watchers.statuses.read(root, since, version, inTurn))?.isFinal
      if (isOver) return await reply.code(204).header('cache-control', 'no-store').send(null)
      const response = reply.raw
      const begin = () => {
        reply.hijack()
        response.writeHead(200, {
          ...headersOf(request, reply),
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        })
        response.write(`retry: ${RETRY_MS}\n\n`)
      }
      const breakOff = (error: unknown) => {
        request.log.error({ reqId: request.id, err: error }, 'the events broke off')
        response.destroy()
      }
      if (version === undefined) {
        begin()
        const pieces = importedEvent(importedStatus(root))
        const next = takePieces(pieces, request, reply, context)
        return await writePieces(response, next, { gzip: false }).catch(breakOff)
      }
      const stream = new EventStream({
        ...{ root, client, since, watchers, inTurn, response, unread },
        onMoved: () => handle.moved(),
        onError: breakOff,
      })
      const handle = openAnswers.open(request, reply, stream)
      begin()
      // The service stops, or the client has gone. No event follows then.
      if (stream.isOver) {
        response.end()
        return
      }
      const leave = watchers.add(root, stream)
      const tooLong = setTimeout(() => stream.end(), longestMs)
      response.once('close', () => {
        leave()
        clearTimeout(tooLong)
      })
      stream.wake(version)
    },
  })
}

/** The version of an imported root, which never changes. */
const IMPORTED = 1

type Pieces = ReturnType<ImportedStatus>

/** The status of an imported root as its only event. */
async function* importedEvent(pieces: Pieces): Pieces {
  let before = `event: status\nid: ${IMPORTED}\ndata: `
  for await (const { parts, last } of pieces) {
    parts.unshift(before)
    if (last) parts.push('\n\n')
    yield { parts, last }
    before = ''
  }
}

function readEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0
}
