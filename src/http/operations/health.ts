import { Type } from '../../contract/schema.ts'
import type { HttpContext, Server } from '../context.ts'
import { problemResponses } from '../responses.ts'

const Ok = Type.Object({ status: Type.Literal('ok') }, { description: 'Yes.' })

/** `/healthz`: the process runs. `/readyz`: it can answer, so send it traffic. */
export function health(server: Server, { store, images }: HttpContext): void {
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
    url: '/readyz',
    config: { access: 'everyone' },
    schema: {
      operationId: 'readyz',
      tags: ['Operating'],
      summary: 'Can the service answer',
      security: [],
      response: { 200: Ok, ...problemResponses('unavailable', 'storage_failed') },
    },
    handler: async () => {
      await Promise.all([store.check(), images.check()])
      return { status: 'ok' as const }
    },
  })
}
