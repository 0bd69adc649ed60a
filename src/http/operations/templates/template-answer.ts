import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KnownTemplate } from '../../../access/door.ts'
import { otherWork } from '../../../other-work.ts'
import { sendAnswer } from '../../answers/send-answer.ts'
import type { HttpContext } from '../../context.ts'
import { etagOf } from '../../rules/if-match.ts'
import { originOf } from '../../rules/origin.ts'

export const templateResponse = (description: string, headers = {}) => ({
  description,
  headers: {
    ETag: {
      type: 'string',
      description: 'Send it back in `If-Match`. It changes with the template, not with its runs.',
    },
    ...headers,
  },
  content: { 'application/json': { schema: { $ref: 'Template#' } } },
})

/** Answers one template. */
export async function sendTemplate(
  template: KnownTemplate,
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
): Promise<void> {
  await otherWork()
  const asked = { now: context.clock(), origin: originOf(request, context) }
  const whole = await context.templateResults.render(template, asked)
  reply.header('etag', etagOf(template))
  await sendAnswer({ whole: () => whole, body: never }, request, reply, context)
}

/** The whole body is there. */
async function* never() {}
