import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import type { Connections } from './connections.ts'

const NAME = 'http_request_duration_seconds'
/** Upper ends, in seconds. */
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

type Status = number | 'aborted'

interface Series {
  readonly labels: string
  /** How many fell into each bucket, and beyond the last. */
  readonly counts: number[]
  sum: number
}

/** How many captures came to which end. */
export type Outcomes = ReadonlyMap<string, number>

export interface Metrics {
  readonly contentType: string
  render(): Promise<string>
}

/**
 * Counts and times every request by route, never by address: an address would name projects. The library's histogram
 * makes a text of the labels for each observation, which costs a request more than finding its answer.
 */
export function measureRequests(connections: Connections, outcomes: Outcomes): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  countCaptures(registry, outcomes)
  const all: Series[] = []
  const byRoute = new Map<string, Map<string, Map<Status, Series>>>()
  const find = (method: string, route: string, status: Status): Series =>
    byRoute.get(route)?.get(method)?.get(status) ?? begin(method, route, status)
  const begin = (method: string, route: string, status: Status): Series => {
    const labels = `method="${method}",route="${route}",status="${status}"`
    const begun = { labels, counts: new Array(BUCKETS.length + 1).fill(0), sum: 0 }
    const byMethod = byRoute.get(route) ?? new Map<string, Map<Status, Series>>()
    const byStatus = byMethod.get(method) ?? new Map<Status, Series>()
    byRoute.set(route, byMethod)
    byMethod.set(method, byStatus)
    byStatus.set(status, begun)
    all.push(begun)
    return begun
  }
  connections.whenOver((request, reply) => {
    const status = reply.raw.writableFinished ? reply.statusCode : 'aborted'
    const seen = find(request.method, request.routeOptions.url ?? 'none', status)
    const seconds = reply.elapsedTime / 1000
    const bucket = BUCKETS.findIndex((end) => seconds <= end)
    const index = bucket < 0 ? BUCKETS.length : bucket
    seen.counts[index] = (seen.counts[index] ?? 0) + 1
    seen.sum += seconds
  })
  return {
    contentType: registry.contentType,
    async render() {
      return `${await registry.metrics()}\n${[HEAD, ...all.flatMap(exposition)].join('\n')}\n`
    },
  }
}

function countCaptures(registry: Registry, outcomes: Outcomes): void {
  new Counter({
    name: 'captures_total',
    help: 'Pages that this process has captured, or given up, by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of outcomes) this.inc({ outcome }, count)
    },
  })
}

const HEAD = `# HELP ${NAME} Time from request to the last byte of the answer.\n# TYPE ${NAME} histogram`

function exposition({ labels, counts, sum }: Series): string[] {
  let count = 0
  const buckets = counts.map((each, index) => {
    count += each
    return `${NAME}_bucket{le="${BUCKETS[index] ?? '+Inf'}",${labels}} ${count}`
  })
  return [...buckets, `${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${count}`]
}
