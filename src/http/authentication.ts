import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import { hashApiKey, isApiKey } from '../store/api-key.ts'
import type { HttpContext, Server } from './context.ts'

const NO_KEY = 'send an API key: Authorization: Bearer <key>'

/**
 * Runs before anything else looks at the request, so that neither a condition nor a bad parameter answers
 * someone who may not ask.
 */
export function requireKeys(server: Server, { store, config }: HttpContext): void {
  server.decorateRequest('apiKey', undefined)
  const keys = config.auth === 'keys'
  // Where strangers may ask, figures would tell them what is not for them: how many pages were `blocked`, say.
  if (config.auth === 'open' && config.metricsToken === undefined) return

  server.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    if (access === 'everyone' || (access !== 'metrics' && !keys)) return
    const credential = readCredential(request)
    if (access === 'metrics') {
      if (!config.metricsToken || !credential || !equal(credential, config.metricsToken)) {
        throw new AppError('unauthorized', 'metrics need the METRICS_TOKEN: Authorization: Bearer <token>')
      }
      return
    }
    const key = credential && isApiKey(credential) ? await store.findKey(hashApiKey(credential)) : undefined
    if (!key) throw new AppError('unauthorized', credential ? 'this key is not valid' : NO_KEY)
    request.apiKey = key
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
