import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import { hashApiKey, isApiKey } from '../store/api-key.ts'
import type { HttpContext, Server } from './context.ts'

const NO_KEY = 'send an API key: Authorization: Bearer <key>'

/**
 * Runs before anything else looks at the request, so that neither a condition nor a bad parameter answers
 * someone who may not ask. A key that opens another project opens nothing here: that project does not exist.
 */
export function requireKeys(server: Server, { store, config }: HttpContext): void {
  server.decorateRequest('apiKey', undefined)
  if (config.auth !== 'keys') return

  server.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    if (access === 'everyone') return
    const credential = readCredential(request)
    if (access === 'metrics') {
      if (!config.metricsToken || !credential || !equal(credential, config.metricsToken)) {
        throw new AppError('unauthorized', 'metrics need the METRICS_TOKEN: Authorization: Bearer <token>')
      }
      return
    }
    const key = credential && isApiKey(credential) ? await store.findKey(hashApiKey(credential)) : undefined
    if (!key) throw new AppError('unauthorized', credential ? 'this key is not valid' : NO_KEY)
    const { projectId } = request.params as { projectId?: string }
    if (projectId !== undefined && parseId(projectId) !== key.projectId) throw new AppError('not_found')
    request.apiKey = key
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
