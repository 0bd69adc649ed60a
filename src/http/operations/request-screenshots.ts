import { openProject } from '../../access/door.ts'
import { paths, rootPath } from '../../contract/paths.ts'
import { ProjectParams } from '../../contract/requests.ts'
import { ScreenshotAccepted } from '../../contract/screenshot-request.ts'
import { timeOf } from '../../contract/when.ts'
import { AppError } from '../../errors.ts'
import { problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { originOf } from '../rules/origin.ts'
import { createReadBody } from '../rules/read-body.ts'
import { readRequest, requireFewParts } from '../rules/read-request.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

export async function requestScreenshots(server: Server, context: HttpContext): Promise<void> {
  const { config, requests, ready, clock, turns, refusals } = context
  await server.register(async (scope) => {
    const readBody = createReadBody(scope as Server, context)
    takeNothingButJson(scope as Server)
    scope.route({
      method: 'POST',
      url: paths.requestScreenshots,
      config: { access: 'write' },
      schema: {
        operationId: 'requestScreenshots',
        tags: ['Capturing'],
        summary: 'Request screenshots',
        description:
          'The root can be read at once, with no jobs; each job appears as soon as its pictures are stored. ' +
          'Needs a key with the scope `write`.',
        params: ProjectParams,
        headers: {
          type: 'object',
          properties: {
            'idempotency-key': {
              type: 'string',
              description:
                'Any text that is new for each request. The same request with the same text is not captured again: it gets the first answer.',
            },
          },
        },
        body: { $ref: 'ScreenshotRequest#' },
        response: {
          201: {
            description: 'Accepted and durable: it survives a crash.',
            headers: { Location: { type: 'string', description: 'The address of the root.' } },
            content: { 'application/json': { schema: ScreenshotAccepted } },
          },
          ...problemResponses(
            'bad_request',
            'unauthorized',
            'forbidden',
            'not_found',
            'request_timeout',
            'conflict',
            'too_large',
            'unsupported_media_type',
            'rate_limited',
            'no_browser',
            'storage_full',
          ),
        },
      },
      handler: async (request, reply) => {
        const inTurn = turns.for(clientOf(request))
        const look = (beginning: Buffer) => requireFewParts(beginning, config.limits)
        const body = await readBody(request, reply, look)
        const { asked, when } = await inTurn(async () => readRequest(body, config.limits))
        const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key'])
        await ready()
        const projectId = openProject((request.params as ProjectParams).projectId, request.apiKey)
        const now = clock()
        const scheduled = timeOf(when, now)
        const origin = scheduled === undefined ? {} : { scheduled }
        const rootId = await inTurn(() =>
          requests.accept(projectId, asked, { now, idempotencyKey, origin }),
        ).catch((error) => {
          if (error instanceof AppError && error.code === 'rate_limited') refusals.count('pages')
          throw error
        })
        const path = rootPath(projectId, rootId)
        return await reply
          .code(201)
          .header('location', `${originOf(request, context)}${path}`)
          .header('cache-control', 'no-store')
          .send({ jobId: rootId })
      },
    })
  })
}

/** Web pages of other sites can send every other type without permission (CSRF). The handler reads the body. */
function takeNothingButJson(scope: Server): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', (_request, _body, done) => done(null))
}

function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header
  throw new AppError('bad_request', 'the Idempotency-Key must be 1 to 255 visible ASCII characters', {
    mistakes: [{ parameter: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }],
  })
}
