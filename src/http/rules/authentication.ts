import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseId } from '../../contract/ids.ts'
import { AppError } from '../../errors.ts'
import { hashApiKey, isApiKey } from '../../store/api-key.ts'
import type { HttpContext, Server } from '../context.ts'
import type { CountRequest } from './rate-limit.ts'

const NO_KEY = 'send an API key: Authorization: Bearer <key>'

/**
 * Runs before anything else looks at the request, so that neither a condition nor a bad parameter answers
 * someone who may not ask. Who is refused is counted by client address, apart from whoever else is there: to guess
 * is not free, and behind a proxy those with a key do not pay for it.
 */
export function requireKeys(server: Server, { store, config }: HttpContext, count: CountRequest): void {
  server.decorateRequest('apiKey', undefined)
  server.decorateRequest('keyHash', undefined)
  const keys = config.auth === 'keys'
  // Where strangers may ask, figures would tell them what is not for them: how many pages were `blocked`, say.
  if (config.auth === 'open' && config.metricsToken === undefined) return

  const refuse = (request: FastifyRequest, reply: FastifyReply, detail: string): never => {
    count(`no key, ${request.ip}`, reply)
    throw new AppError('unauthorized', detail)
  }
  server.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (access === 'everyone' || (access !== 'metrics' && !keys)) return
    const credential = readCredential(request)
    if (access === 'metrics') {
      if (!config.metricsToken || !credential || !equal(credential, config.metricsToken)) {
        refuse(request, reply, 'metrics need the METRICS_TOKEN: Authorization: Bearer <token>')
      }
      return
    }
    const hash = credential && isApiKey(credential) ? hashApiKey(credential) : undefined
    const key = hash === undefined ? undefined : await store.findKey(hash)
    if (!key) return refuse(request, reply, credential ? 'this key is not valid' : NO_KEY)
    request.apiKey = key
    request.keyHash = hash
  })
}

/**
 * What a key does not open. Another project does not exist for it. After the rate was counted: asking for what one
 * may not have is not free.
 */
export function refuseWhatKeysDoNotOpen(server: Server, { config }: HttpContext): void {
  if (config.auth !== 'keys') return
  server.addHook('onRequest', ({ apiKey, params, routeOptions }, _reply, done) => {
    if (apiKey?.scope === 'read' && routeOptions.config.access === 'write') {
      return done(new AppError('forbidden', 'this key may only read: make one with --scope write'))
    }
    const { projectId } = params as { projectId?: string }
    const foreign = apiKey && projectId !== undefined && parseId(projectId) !== apiKey.projectId
    done(foreign ? new AppError('not_found') : undefined)
  })
}

/** `Authorization: <key>`, as clients of old send it, or `Authorization: Bearer <key>`. */
function readCredential(request: FastifyRequest): string | undefined {
  return request.headers.authorization?.replace(/^Bearer +/i, '').trim() || undefined
}

/** Compares hashes, which are of one length whatever was sent. */
function equal(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(hashApiKey(given)), Buffer.from(hashApiKey(wanted)))
}
