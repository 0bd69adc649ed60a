import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** For the schema of an operation that makes a root. */
export const idempotencyKeyHeader = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      description:
        'Any text that is new for each request. The same request with the same text is not captured again: it gets the first answer.',
    },
  },
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
