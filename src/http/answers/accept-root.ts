import type { FastifyReply, FastifyRequest } from 'fastify'
import { rootPath } from '../../contract/paths.ts'
import { ScreenshotAccepted } from '../../contract/screenshot-request.ts'
import { AppError } from '../../errors.ts'
import type { HttpContext } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { originOf } from '../rules/origin.ts'

/** The answer of an operation that makes a root. */
export const acceptedResponse = {
  description: 'Accepted and durable: it survives a crash.',
  headers: { Location: { type: 'string', description: 'The address of the root.' } },
  content: { 'application/json': { schema: ScreenshotAccepted } },
}

/** Has a root made in the turn of the client, and answers its id. */
export async function acceptRoot(
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
  { projectId, accept }: { projectId: string; accept: () => Promise<string> },
): Promise<FastifyReply> {
  const { turns, refusals } = context
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
