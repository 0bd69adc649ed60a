import type { FastifyRequest } from 'fastify'
import type { GivenKey } from '../../../access/keys.ts'
import type { Session } from '../../../contract/access.ts'
import type { HttpContext } from '../../context.ts'
import { toKey } from '../keys/to-key.ts'

export const sessionResponse = {
  description: 'Who asks.',
  content: { 'application/json': { schema: { $ref: 'Session#' } } },
}

/** For signing in and out: the cookie of the answer. */
export const signedResponse = {
  ...sessionResponse,
  headers: {
    'Set-Cookie': {
      type: 'string',
      description: 'HttpOnly and SameSite=Strict. Without keys, it is removed.',
    },
  },
}

export function describeSession(
  request: Pick<FastifyRequest, 'keys'>,
  { config }: HttpContext,
  keys: readonly GivenKey[] = request.keys ?? [],
): Session {
  return {
    auth: config.auth === 'keys' ? 'keys' : 'open',
    keys: keys.map(({ key }) => toKey(key)),
    isAdmin: config.auth === 'keys' ? keys.some(({ key }) => key.scope === 'admin') : config.auth === 'open',
  }
}
