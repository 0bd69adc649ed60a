import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Server } from '../context.ts'
import { problemResponses } from '../responses.ts'

export function getMetrics(server: Server, registry: Registry): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    config: { access: 'metrics' },
    schema: {
      operationId: 'metrics',
      tags: ['Operating'],
      summary: 'Figures for Prometheus',
      security: [{ metrics: [] }],
      response: {
        200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: Type.String() } } },
        ...problemResponses('unauthorized'),
      },
    },
    handler: async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  })
}
