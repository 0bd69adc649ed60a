import { collectDefaultMetrics, Registry } from 'prom-client'
import { metric, PREFIX } from '../answers/exposition.ts'
import { renderFigures } from '../answers/figures.ts'
import type { HttpContext } from '../context.ts'
import type { Connections } from './connections.ts'

const NAME = 'http_request_duration_seconds'
/** Upper ends of the buckets, in seconds. */
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

type Status = number | 'aborted'

interface RequestSeries {
  readonly labels: string
  /** How many are in each bucket, and beyond the last. */
  readonly counts: number[]
  sum: number
}

export interface Metrics {
  readonly contentType: string
  render(): Promise<string>
}

/**
 * How often the delay of the event loop is measured. The figures contain this time. Every 10 ms, as the library does by itself,
 * took 0.1 to 0.2 % of a core more, all the time.
 */
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

/**
 * Counts and times every request by route, never by address: an address would name projects. The histogram of the library
 * is not used: it makes a text of the labels for each request, which costs more than finding the answer.
 */
export function measureRequests(connections: Connections, context: HttpContext): Metrics {
  const registry = processFigures()
  const all: RequestSeries[] = []
  const byRoute = new Map<string, Map<string, Map<Status, RequestSeries>>>()
  const find = (method: string, route: string, status: Status): RequestSeries =>
    byRoute.get(route)?.get(method)?.get(status) ?? begin(method, route, status)
  const begin = (method: string, route: string, status: Status): RequestSeries => {
    const labels = `method="${method}",route="${route}",status="${status}"`
    const begun = { labels, counts: new Array(BUCKETS.length + 1).fill(0), sum: 0 }
    const byMethod = byRoute.get(route) ?? new Map<string, Map<Status, RequestSeries>>()
    const byStatus = byMethod.get(method) ?? new Map<Status, RequestSeries>()
    byRoute.set(route, byMethod)
    byMethod.set(method, byStatus)
    byStatus.set(status, begun)
    all.push(begun)
    return begun
  }
  connections.whenOver((request, reply) => {
    const status = reply.raw.writableFinished ? reply.statusCode : 'aborted'
    const seen = find(request.method, request.routeOptions.url ?? 'none', status)
    const seconds = (performance.now() - request.arrived) / 1000
    const bucket = BUCKETS.findIndex((end) => seconds <= end)
    const index = bucket < 0 ? BUCKETS.length : bucket
    seen.counts[index] = (seen.counts[index] ?? 0) + 1
    seen.sum += seconds
  })
  return {
    contentType: registry.contentType,
    async render() {
      const times = metric(NAME, 'Time from request to the last byte of the answer.', { ends: BUCKETS, all })
      return `${[await registry.metrics(), times, ...(await renderFigures(context))].join('\n')}\n`
    },
  }
}
