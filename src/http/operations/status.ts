import type { ImportedStatus } from '../../capture/status.ts'
import { paths } from '../../contract/paths.ts'
import { StatusQuery } from '../../contract/requests.ts'
import { Type } from '../../contract/schema.ts'
import { AppError, need } from '../../errors.ts'
import { EventStream } from '../answers/event-stream.ts'
import type { OpenAnswers } from '../answers/open-answers.ts'
import { holdPieces, writePieces } from '../answers/pieces.ts'
import { json } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import { clientOf, type HttpContext } from '../context.ts'
import type { Declare } from '../operation.ts'
import { headersOf } from '../rules/common-headers.ts'

/** The longest wait and the longest stream, as a part of IDLE_TIMEOUT and RESPONSE_TIMEOUT. Then the client may ask again. */
const LONGEST_SHARE = 0.8
/** How soon a client connects again. */
const RETRY_MS = 1_000

/** The status of a root: at once, when it is finished, or as server-sent events. */
export function status(declare: Declare, context: HttpContext, openAnswers: OpenAnswers): void {
  const { door, importedStatus, watchers, config, turns, unread } = context
  const { idleMs, responseMs } = config.limits
  const longestWaitMs = Math.floor(Math.min(idleMs, responseMs) * LONGEST_SHARE)
  const longestStreamMs = Math.floor(responseMs * LONGEST_SHARE)
  declare({
    id: 'getStatus',
    summary: 'Get the status of a root',
    description:
      'The status of the root and of each of its pages. With `wait`, the answer comes when the root is finished.',
    path: paths.getStatus,
    query: StatusQuery,
    answers: { 200: json('The status.', 'RootStatus') },
    async run(request, reply) {
      const root = await door.getRoot(request.params, request.apiKey)
      const version = await watchers.statuses.version(root)
      const client = clientOf(request)
      const inTurn = turns.for(client)
      if (version === undefined) {
        return await sendAnswer({ body: () => importedStatus(root) }, request, reply, context)
      }
      const read = async (since: number, atLeast: number) =>
        need(await watchers.statuses.read(root, since, atLeast, inTurn))
      let status = await read(0, version)
      const leftMs = longestWaitMs - (performance.now() - request.arrived)
      const waitMs = Math.min((request.query.wait ?? 0) * 1_000, leftMs)
      if (!status.isFinal && waitMs > 0) {
        const over = new AbortController()
        const timer = setTimeout(() => over.abort(), waitMs)
        // No sign of life can be sent before the answer.
        openAnswers.open(request, reply, { beat() {}, end: (why) => over.abort(why) })
        let news = status
        while (!news.isFinal && !over.signal.aborted) {
          const { version: since } = news
          const newest = await watchers.newer(root, { client, since }, over.signal)
          if (newest > since) news = await read(since, newest)
        }
        clearTimeout(timer)
        if (over.signal.reason === 'revoked')
          throw new AppError('unauthorized', 'this key is no longer valid')
        // It may have changed unnoticed, if the time was over.
        const now = await watchers.statuses.version(root)
        status = await read(0, now ?? news.version)
      }
      const { json } = status
      return await sendAnswer({ body: () => json }, request, reply, context)
    },
  })
  declare({
    id: 'watchStatus',
    summary: 'Watch the status of a root',
    description:
      'Server-sent events of the type `status`. Each is a status whose `urls` are those that changed since the ' +
      'previous event; the first has all of them. The stream ends when the root is finished. A client that lost its ' +
      'connection continues with `Last-Event-ID`. If it has seen everything, the answer is 204.',
    method: 'GET',
    path: paths.watchStatus,
    header: 'Last-Event-ID',
    answers: {
      200: { description: 'The events.', content: { 'text/event-stream': { schema: Type.String() } } },
      204: { description: 'The root is finished, and `Last-Event-ID` was the last event.' },
    },
    async run(request, reply) {
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
        const held = holdPieces(pieces, request, reply, context)
        return await writePieces(response, held, { gzip: false }).catch(breakOff)
      }
      const stream = new EventStream({
        ...{ root, client, since, watchers, inTurn, response, unread },
        onMoved: () => openAnswers.moved(stream),
        onError: breakOff,
      })
      openAnswers.open(request, reply, stream)
      begin()
      // The service stops, or the client has gone. No event follows then.
      if (stream.isOver) {
        response.end()
        return
      }
      const leave = watchers.add(root, stream)
      const tooLong = setTimeout(() => stream.end(), longestStreamMs)
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
