import { Type } from '../../contract/schema.ts'
import { problemResponses } from '../answers/responses.ts'
import type { Server } from '../context.ts'
import type { Metrics } from '../rules/metrics.ts'

export function getMetrics(server: Server, metrics: Metrics): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    config: { access: 'metrics' },
    schema: {
      operationId: 'metrics',
      tags: ['Operating'],
      summary: 'Figures for Prometheus',
      description: 'The metrics of this process. docs/operating.md says which ones to look at.',
      security: [{ metrics: [] }],
      response: {
        200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: Type.String() } } },
        ...problemResponses('unauthorized'),
      },
    },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()),
  })
}
