import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_MS } from '../../access/sessions.ts'
import type { HttpContext } from '../context.ts'
import { originOf } from './origin.ts'

/** The text of the cookie. Undefined if there is none, or more than one service has set one. */
export function readSessionCookie(request: FastifyRequest, context: HttpContext): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  const { name } = kindOf(originOf(request, context))
  for (const pair of cookie.split(';')) {
    const [key = '', ...value] = pair.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return undefined
}

/** `text` empty: the browser forgets the cookie. `stays`: also when it is closed. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, stays = false, context }: { text: string; stays?: boolean; context: HttpContext },
): void {
  const { name, attributes } = kindOf(originOf(request, context))
  const age = text === '' ? '; Max-Age=0' : stays ? `; Max-Age=${SESSION_MS / 1000}` : ''
  reply.header('set-cookie', `${name}=${text}${attributes}${age}`)
}

/**
 * The name of the cookie of one origin, and its attributes. Browsers do not separate the cookies of two ports, so the name has the
 * port. They keep a name with a prefix to https, and other hosts of the same domain cannot set it.
 */
function kindOf(origin: string) {
  const { protocol, pathname, port } = new URL(origin)
  const path = pathname.replace(/(.)\/$/, '$1')
  const isSecure = protocol === 'https:'
  const prefix = isSecure ? (path === '/' ? '__Host-' : '__Secure-') : ''
  return {
    name: `${prefix}proofsheet${port && `-${port}`}`,
    attributes: `; Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  }
}
