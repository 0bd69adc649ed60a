import { paths } from '../../contract/paths.ts'
import { Readiness } from '../../contract/readiness.ts'
import { Type } from '../../contract/schema.ts'
import type { HttpContext, Server } from '../context.ts'
import { findMissingBrowser } from '../no-browser.ts'
import { problemResponses } from '../responses.ts'

const Ok = Type.Object({ status: Type.Literal('ok') }, { description: 'Yes.' })

/** `/healthz`: the process runs. `/readyz`: it can answer, so send it traffic; and what it captures with. */
export function health(server: Server, { store, images, findBrowser }: HttpContext): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    config: { access: 'everyone' },
    schema: {
      operationId: 'healthz',
      tags: ['Operating'],
      summary: 'Is the process alive',
      security: [],
      response: { 200: Ok },
    },
    handler: async () => ({ status: 'ok' as const }),
  })
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getReadiness,
    config: { access: 'everyone' },
    schema: {
      operationId: 'readyz',
      tags: ['Operating'],
      summary: 'Can the service answer',
      security: [],
      response: { 200: Readiness, ...problemResponses('unavailable', 'storage_failed') },
    },
    handler: async () => {
      const [capturing] = await Promise.all([
        describeCapturing({ findBrowser }),
        store.check(),
        images.check(),
      ])
      return { status: 'ok' as const, capturing }
    },
  })
}

async function describeCapturing(context: Pick<HttpContext, 'findBrowser'>): Promise<Readiness['capturing']> {
  const detail = await findMissingBrowser(context)
  if (detail !== undefined) return { state: 'no_browser', detail }
  const found = await context.findBrowser()
  return found ? { state: 'ready', browser: `${found.kind} ${found.origin}` } : { state: 'elsewhere' }
}
