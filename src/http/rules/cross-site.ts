import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { AppError } from '../../errors.ts'
import type { HttpContext, Server } from '../context.ts'
import { originOf } from './origin.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

const ELSEWHERE =
  'this was sent by a page of another origin. Only the pages of this service may change something without an Authorization header. ' +
  'Behind a proxy, set PUBLIC_URL to the address that browsers use'
const UNKNOWN =
  'a request with a cookie may only change something if a page of this service sends it. Programs send the key: Authorization: Bearer <key>'

/**
 * Keeps pages of other sites from changing something in the name of their visitor (CSRF): with the cookie of a session, or on a
 * service that requires no key. They cannot send an Authorization header: their browser asks us first.
 */
export function refuseCrossSite(server: Server, context: HttpContext): void {
  const refuse: onRequestHookHandler = (request, _reply, done) => {
    if (READING.has(request.method) || request.headers.authorization !== undefined) return done()
    const sender = senderOf(request, context)
    if (sender === 'elsewhere') return done(new AppError('forbidden', ELSEWHERE))
    if (sender === 'unknown' && request.hasSession) return done(new AppError('forbidden', UNKNOWN))
    done()
  }
  // Not for routes that only read: they are called most, and even a hook that does nothing takes time.
  server.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => READING.has(method))) return
    route.onRequest = [...[route.onRequest ?? []].flat(), refuse]
  })
}

/** Browsers say where a page is from in Sec-Fetch-Site, which pages cannot set. With plain http, they name its origin instead. */
function senderOf(request: FastifyRequest, context: HttpContext): 'here' | 'elsewhere' | 'unknown' {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site === 'same-origin') return 'here'
  // The operator trusts these. Their requests carry no cookie of ours.
  if (origin !== undefined && !request.hasSession && context.config.corsOrigins.includes(origin))
    return 'here'
  if (site !== undefined && site !== 'none') return 'elsewhere'
  if (origin === undefined) return 'unknown'
  return URL.parse(origin)?.host === new URL(originOf(request, context)).host ? 'here' : 'elsewhere'
}
