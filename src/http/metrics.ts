import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { whenOver } from './connections.ts'
import type { Server } from './context.ts'

/** Counts and times every request by route, never by address: an address would name projects. */
export function measureRequests(server: Server): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to the last byte of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  server.addHook('onRequest', (request, reply, done) => {
    whenOver(reply, () => {
      const { method, routeOptions } = request
      const status = reply.raw.writableFinished ? reply.statusCode : 'aborted'
      duration.observe({ method, route: routeOptions.url ?? 'none', status }, reply.elapsedTime / 1000)
    })
    done()
  })
  return registry
}
