import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOpenTo } from '../../access/door.ts'
import { isSameSecret } from '../../access/keys.ts'
import { AppError } from '../../errors.ts'
import type { HttpContext, Server } from '../context.ts'
import type { CountRequest } from './rate-limit.ts'

const NO_KEY = 'send an API key: Authorization: Bearer <key>'

/**
 * Runs first, so that a request without a valid key learns nothing from other checks. Refused requests count against the
 * rate of their address, apart from all others: guessing keys is limited, and clients with a key behind the same proxy
 * are not.
 */
export function requireKeys(server: Server, { keys, config }: HttpContext, count: CountRequest): void {
  server.decorateRequest('apiKey', undefined)
  server.decorateRequest('keyHash', undefined)
  const isAsked = config.auth === 'keys'
  // Only with AUTH=open can metrics be read without a token: they say, for example, how many pages were `blocked`.
  if (config.auth === 'open' && config.metricsToken === undefined) return

  const refuse = (request: FastifyRequest, reply: FastifyReply, detail: string): never => {
    count(`no key, ${request.ip}`, reply)
    throw new AppError('unauthorized', detail)
  }
  server.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (access === 'everyone' || (access !== 'metrics' && !isAsked)) return
    const credential = readCredential(request)
    if (access === 'metrics') {
      if (!config.metricsToken || !credential || !isSameSecret(credential, config.metricsToken)) {
        refuse(request, reply, 'metrics need the METRICS_TOKEN: Authorization: Bearer <token>')
      }
      return
    }
    const given = credential === undefined ? undefined : await keys.find(credential)
    if (!given) return refuse(request, reply, credential ? 'this key is not valid' : NO_KEY)
    request.apiKey = given.key
    request.keyHash = given.hash
  })
}

/**
 * Refuses projects and operations that the key does not open, before parameters are checked. The operation resolves the ids
 * again. Runs after the rate was counted, so that refused requests count, too.
 */
export function refuseWhatKeysDoNotOpen(server: Server, { config }: HttpContext): void {
  if (config.auth !== 'keys') return
  server.addHook('onRequest', ({ apiKey, params, routeOptions }, _reply, done) => {
    if (apiKey?.scope === 'read' && routeOptions.config.access === 'write') {
      return done(new AppError('forbidden', 'this key may only read: make one with --scope write'))
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
