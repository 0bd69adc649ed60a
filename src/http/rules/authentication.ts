import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOpenTo } from '../../access/door.ts'
import { type GivenKey, isSameSecret } from '../../access/keys.ts'
import { KEY_SCOPES } from '../../contract/access.ts'
import { AppError } from '../../errors.ts'
import type { HttpContext, Server } from '../context.ts'
import type { CountRequest } from './rate-limit.ts'
import { readSessionCookie } from './session-cookie.ts'

const NO_KEY = 'send an API key: Authorization: Bearer <key>'
const ENDED = 'the session has ended: sign in again'
const NO_ADMIN_KEY = 'this needs a key for the whole service: create one with --admin'
const NO_ADMINISTRATION =
  'with AUTH=open-to-everyone, projects and keys can be created only on the command line'

/** Counts a request without a valid key against the rate of its address, and throws `unauthorized`. */
export type RefuseKey = (request: FastifyRequest, reply: FastifyReply, detail: string) => never

/**
 * Runs first, so that a request without a valid key learns nothing from other checks. Refused requests count against the
 * rate of their address, apart from all others: guessing keys is limited, and clients with a key behind the same proxy
 * are not.
 */
export function requireKeys(server: Server, context: HttpContext, count: CountRequest): RefuseKey {
  const { keys, sessions, clock, config } = context
  server.decorateRequest('apiKey', undefined)
  server.decorateRequest('givenKey', undefined)
  server.decorateRequest('keys', undefined)
  server.decorateRequest('hasSession', false)
  const refuse: RefuseKey = (request, reply, detail) => {
    count(`no key, ${request.ip}`, reply)
    throw new AppError('unauthorized', detail)
  }
  const isAsked = config.auth === 'keys'
  // Only with AUTH=open can metrics be read without a token: they say, for example, how many pages were `blocked`.
  if (config.auth === 'open' && config.metricsToken === undefined) return refuse

  server.addHook('onRequest', async (request, reply) => {
    const { access, leadsToSignIn } = request.routeOptions.config
    if (access === 'everyone' || (access !== 'metrics' && !isAsked)) return
    const credential = readCredential(request)
    if (access === 'metrics') {
      if (!config.metricsToken || !credential || !isSameSecret(credential, config.metricsToken)) {
        refuse(request, reply, 'metrics need the METRICS_TOKEN: Authorization: Bearer <token>')
      }
      return
    }
    if (credential !== undefined) {
      const given = await keys.find(credential)
      if (!given) return refuse(request, reply, 'this key is not valid')
      use(request, given, [given])
      return
    }
    const text = request.headers.authorization === undefined ? readSessionCookie(request, context) : undefined
    // Those that still exist. None if the session has ended.
    const ofSession = text === undefined ? [] : await keys.findOf(sessions.open(text, clock()))
    const { projectId } = request.params as { projectId?: string }
    const chosen = chooseKey(ofSession, projectId)
    request.hasSession = text !== undefined
    if (chosen) use(request, chosen, ofSession)
    else if (leadsToSignIn && wantsPage(request)) {
      const page = request.routeOptions.url?.slice(1)
      return await reply
        .code(302)
        .header('location', `sign-in?to=${page}`)
        .header('cache-control', 'no-store')
        .send()
    } else if (access !== 'session') refuse(request, reply, text === undefined ? NO_KEY : ENDED)
  })
  return refuse
}

function use(request: FastifyRequest, given: GivenKey, keys: readonly GivenKey[]): void {
  request.apiKey = given.key
  request.givenKey = given
  request.keys = keys
}

/**
 * Refuses projects and operations that the key does not open, before parameters are checked. The operation resolves the ids
 * again. Runs after the rate was counted, so that refused requests count, too.
 */
export function refuseWhatKeysDoNotOpen(server: Server, { config }: HttpContext): void {
  // On loopback, the client is the operator. Elsewhere it may be anyone.
  if (config.auth === 'open') return
  server.addHook('onRequest', ({ apiKey, params, routeOptions }, _reply, done) => {
    const { access } = routeOptions.config
    if (access === 'admin' && apiKey?.scope !== 'admin') {
      return done(new AppError('forbidden', config.auth === 'keys' ? NO_ADMIN_KEY : NO_ADMINISTRATION))
    }
    if (access === 'write' && apiKey?.scope === 'read') {
      return done(new AppError('forbidden', 'this key may only read: create one with --scope write'))
    }
    const { projectId } = params as { projectId?: string }
    const isForeign = projectId !== undefined && !isOpenTo(apiKey, projectId)
    done(isForeign ? new AppError('not_found') : undefined)
  })
}

/** `Authorization: <key>`, as old clients send it, or `Authorization: Bearer <key>`. */
function readCredential(request: FastifyRequest): string | undefined {
  return request.headers.authorization?.replace(/^Bearer +/i, '').trim() || undefined
}

/** A browser that navigates to the address. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.authorization === undefined && /\btext\/html\b/i.test(headers.accept ?? '')
}

/**
 * A session may have several keys, but a request uses one of them: of those that open its project, the one that allows most.
 * If none opens it, or it names no project, the one that allows most of all. Undefined if there are no keys.
 */
function chooseKey(keys: readonly GivenKey[], projectText: string | undefined): GivenKey | undefined {
  const opening = projectText === undefined ? [] : keys.filter(({ key }) => isOpenTo(key, projectText))
  const rank = ({ key }: GivenKey) => KEY_SCOPES.indexOf(key.scope)
  return (opening.length > 0 ? opening : keys).toSorted((one, other) => rank(other) - rank(one))[0]
}
