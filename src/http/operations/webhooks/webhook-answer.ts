import type { FastifyReply } from 'fastify'
import type { ErrorCode } from '../../../errors.ts'
import type { ShownWebhook } from '../../../webhooks/webhooks.ts'
import { problemResponses } from '../../answers/responses.ts'
import { etagOf } from '../../rules/if-match.ts'

export const TAGS = ['Webhooks']

export const webhookResponse = (description: string) => ({
  description,
  headers: {
    ETag: { type: 'string', description: 'Send it back in `If-Match`. It changes with the settings.' },
  },
  content: { 'application/json': { schema: { $ref: 'Webhook#' } } },
})

export const deliveryResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: 'Delivery#' } } },
})

/** What every operation may answer, and more. */
export function webhookProblems(...more: ErrorCode[]): Record<number, object> {
  return problemResponses('unauthorized', 'forbidden', 'not_found', 'rate_limited', 'unavailable', ...more)
}

/** For operations that take a body. */
export const BODY_PROBLEMS: readonly ErrorCode[] = [
  ...(['bad_request', 'request_timeout', 'too_large', 'unsupported_media_type', 'storage_full'] as const),
]

export function sendWebhook(reply: FastifyReply, { webhook, revision }: ShownWebhook): FastifyReply {
  return reply.header('etag', etagOf({ revision })).header('cache-control', 'no-store').send(webhook)
}
