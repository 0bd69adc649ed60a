import type { FastifyReply, FastifyRequest } from 'fastify'
import { rootPath } from '../../contract/paths.ts'
import { ScreenshotAccepted } from '../../contract/screenshot-request.ts'
import { AppError } from '../../errors.ts'
import { msOfStored } from '../../shares/pace.ts'
import { clientOf, type HttpContext } from '../context.ts'
import { originOf } from '../rules/origin.ts'
import { LARGE } from '../rules/read-json.ts'
import { header, json } from './responses.ts'
import { whenClosed } from './when-closed.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** The answer of an operation that creates a root. */
export const acceptedResponse = json('Accepted and durable: it survives a crash.', ScreenshotAccepted, {
  Location: header('The address of the root.'),
})

/** Creates a root in the turn of the client, and answers its id. `kept`: the request that is run, if it is a stored one. */
export async function acceptRoot(
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
  {
    projectId,
    kept = '',
    accept,
  }: { projectId: string; kept?: string | undefined; accept: () => Promise<string> },
): Promise<FastifyReply> {
  const { pace, turns, refusals } = context
  if (kept.length > LARGE) await pace.wait(clientOf(request), msOfStored(kept.length), whenClosed(reply.raw))
  const rootId = await turns.run(clientOf(request), accept).catch((error) => {
    if (error instanceof AppError && error.code === 'rate_limited') refusals.count('pages')
    throw error
  })
  return await reply
    .code(201)
    .header('location', `${originOf(request, context)}${rootPath(projectId, rootId)}`)
    .header('cache-control', 'no-store')
    .send({ jobId: rootId })
}

/** Throws `bad_request`. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header
  throw new AppError('bad_request', 'the Idempotency-Key must be 1 to 255 visible ASCII characters', {
    mistakes: [{ parameter: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }],
  })
}
