import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Throws `bad_request`. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header
  throw new AppError('bad_request', 'the Idempotency-Key must be 1 to 255 visible ASCII characters', {
    mistakes: [{ parameter: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }],
  })
}
