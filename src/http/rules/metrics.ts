import { collectDefaultMetrics, Registry } from 'prom-client'
import { Times } from '../../capture/figures.ts'
import { metric, PREFIX, renderFigures } from '../answers/figures.ts'
import type { HttpContext } from '../context.ts'
import type { Connections } from './connections.ts'

const NAME = 'http_request_duration_seconds'
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

/** How often the delay of the event loop is measured; the figures contain this time. Every 10 ms took 0.2 % of a core more. */
const LOOP_MS = 20

let ofProcess: Registry | undefined

/** Made once for a process, however many servers it starts: what the library measures with it never stops measuring. */
function processFigures(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: PREFIX, eventLoopMonitoringPrecision: LOOP_MS })
  }
  return ofProcess
}

type Status = number | 'aborted'

export type Metrics = ReturnType<typeof measureRequests>

/** By route, never by address, which would name projects. The histogram of the library costs more than finding the answer. */
export function measureRequests(connections: Connections, context: HttpContext) {
  const registry = processFigures()
  const byLabels = new Map<string, Times>()
  // A text of the labels for each request would take longer than these.
  const byRoute = new Map<string, Map<string, Map<Status, Times>>>()
  const begin = (method: string, route: string, status: Status) => {
    const times = new Times(BUCKETS)
    byLabels.set(`method="${method}",route="${route}",status="${status}"`, times)
    const byMethod = byRoute.get(route) ?? new Map<string, Map<Status, Times>>()
    const byStatus = byMethod.get(method) ?? new Map<Status, Times>()
    byRoute.set(route, byMethod.set(method, byStatus.set(status, times)))
    return times
  }
  connections.whenOver(({ method, routeOptions, arrived }, { raw, statusCode }) => {
    const { url: route = 'none' } = routeOptions
    const status = raw.writableFinished ? statusCode : 'aborted'
    const times = byRoute.get(route)?.get(method)?.get(status) ?? begin(method, route, status)
    times.add((performance.now() - arrived) / 1000)
  })
  return {
    contentType: registry.contentType,
    async render(): Promise<string> {
      const times = metric(NAME, 'Time from request to the last byte of the answer.', byLabels)
      return `${[await registry.metrics(), times, ...(await renderFigures(context))].join('\n')}\n`
    },
  }
}
