import type { StatusBytes } from '../../capture/statuses.ts'
import { paths } from '../../contract/paths.ts'
import { RootParams, StatusQuery } from '../../contract/requests.ts'
import { AppError } from '../../errors.ts'
import type { Answer } from '../../results/results.ts'
import type { End, OpenAnswer, OpenAnswers } from '../answers/open-answers.ts'
import { problemResponses } from '../answers/responses.ts'
import { sendAnswer } from '../answers/send-answer.ts'
import type { HttpContext, Server } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'

/**
 * A request with `wait` is answered after so much of IDLE_TIMEOUT or RESPONSE_TIMEOUT, at the latest. A client that wants to
 * wait longer asks again.
 */
const LONGEST_SHARE = 0.8

export function getStatus(server: Server, openAnswers: OpenAnswers, context: HttpContext): void {
  const { door, importedStatus, watchers, config, turns } = context
  const longestMs = Math.floor(Math.min(config.limits.idleMs, config.limits.responseMs) * LONGEST_SHARE)
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getStatus,
    schema: {
      operationId: 'getStatus',
      tags: ['Capturing'],
      summary: 'Get the status of a root',
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
      const root = await door.getRoot(request.params, request.apiKey)
      const version = await watchers.statuses.version(root)
      const client = clientOf(request)
      const inTurn = turns.for(client)
      if (version === undefined) {
        return await sendAnswer({ body: () => importedStatus(root) }, request, reply, context)
      }
      const read = async (since: number, atLeast: number): Promise<StatusBytes> => {
        const status = await watchers.statuses.read(root, since, atLeast, inTurn)
        if (!status) throw new AppError('not_found')
        return status
      }
      let status = await read(0, version)
      const leftMs = longestMs - (performance.now() - request.arrived)
      const waitMs = Math.min((request.query.wait ?? 0) * 1_000, leftMs)
      if (!status.isFinal && waitMs > 0) {
        const wait = new Wait(waitMs)
        openAnswers.open(request, reply, wait)
        let news = status
        while (!news.isFinal && !wait.signal.aborted) {
          const { version: since } = news
          const newest = await watchers.newer(root, { client, since }, wait.signal)
          if (newest > since) news = await read(since, newest)
        }
        wait.over()
        if (wait.isRevoked) throw new AppError('unauthorized', 'this key is not valid any more')
        // It may have changed unseen, if the time was over.
        const now = await watchers.statuses.version(root)
        status = await read(0, now ?? news.version)
      }
      return await sendAnswer(wholeAnswer(status), request, reply, context)
    },
  })
}

function wholeAnswer({ json }: StatusBytes): Answer {
  return {
    whole: () => json,
    async *body() {
      yield { parts: [json], last: true }
    },
  }
}

/** Waits for the end of a root, for a limited time. */
class Wait implements OpenAnswer {
  isRevoked = false
  readonly #over = new AbortController()
  readonly #timer: NodeJS.Timeout

  constructor(longestMs: number) {
    this.#timer = setTimeout(() => this.over(), longestMs)
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** No sign of life can be sent before the answer. */
  beat(): void {}

  end(why: End): void {
    if (why === 'revoked') this.isRevoked = true
    this.over()
  }

  over(): void {
    clearTimeout(this.#timer)
    this.#over.abort()
  }
}
