import type { CaptureFigures, Times } from '../../capture/figures.ts'
import type { ScheduleFigures } from '../../schedules/runs.ts'
import type { HttpContext } from '../context.ts'

export const PREFIX = 'proofsheet_'

type Sample = readonly [labels: string, value: number]
/** By labels such as `method="GET",status="200"`. */
type Histogram = Map<string, Times>
type Value = number | readonly Sample[] | Histogram

/** Every metric, except the times of requests, and its description. */
const METRICS = {
  captures_total: 'Pages that this process has captured or given up, by outcome.',
  capture_duration_seconds: 'Time from the beginning of a capture to its end, by outcome.',
  captures_under_way: 'Pages that this process captures at the moment.',
  stored_bytes_total: 'Bytes of pictures and previews that this process has stored.',
  schedule_times_total: 'Times of recurring schedules that this process has handled, by outcome.',
  schedule_due_total: 'Times of recurring schedules that were due and that this process has handled.',
  schedule_late_total: 'Roots of schedules that this process has created more than a minute late.',
  scheduled_roots_begun_total: 'Scheduled roots that this process has begun.',
  pictures_gone_total: 'Requests for pictures of results that were missing or damaged.',
  swept_total:
    'Files that no result points at (orphan) and batches of pictures that were never published (staging), removed by this process.',
  watchers: 'Event streams and requests that wait for the status of a root.',
  bodies: 'Request bodies in memory.',
  bodies_bytes: 'Bytes of the request bodies in memory.',
  refused_total: 'Requests that were refused because their client had used up its share.',
  database_connections_used: 'Connections to the database in use.',
  database_connections_awaited: 'Statements that wait for a connection to the database.',
  queue_waiting: 'Pages that wait to be captured, by any process.',
  queue_running: 'Pages that are being captured, by any process.',
  queue_oldest_seconds: 'How long ago the oldest waiting page was requested.',
  deliveries_total: 'Deliveries of webhooks that this process has ended, by outcome.',
  delivery_attempts_total: 'Attempts at deliveries: delivered, answered with another status, or unreachable.',
  deliveries_pending: 'Deliveries that are not delivered yet, by any process. Counted up to 10,000.',
  deliveries_oldest_seconds: 'How long ago the oldest of them happened.',
  webhooks_off: 'Webhooks that the service has switched off.',
  storage_writable: '0 while nothing can be written to the database or to the pictures: captures wait.',
  storage_free_bytes: 'Free bytes of the disk that holds the pictures.',
  storage_total_bytes: 'The size of the disk that holds the pictures.',
  storage_full: '1 while nothing is captured because that disk is full.',
}
type Name = keyof typeof METRICS
type Values = { readonly [Each in Name]?: Value }

/** The figures for operators. A figure that cannot be read at the moment is left out. */
export async function renderFigures(context: HttpContext): Promise<string[]> {
  const { figures, bodies, gone, refusals, watchers } = context
  const none = (): Values => ({})
  const [queue, deliveries, storage] = await Promise.all([
    readQueue(context).catch(none),
    readDeliveries(context).catch(none),
    readStorage(context).catch(none),
  ])
  const { swept } = figures
  const connections = figures.databaseConnections()
  const values: Values = {
    ...valuesOfCaptures(figures.captures),
    ...valuesOfSchedules(figures.schedules),
    pictures_gone_total: by('condition', gone.counts),
    swept_total: by('kind', { orphan: swept.orphans, staging: swept.staging }),
    ...{ watchers: watchers.size, bodies: bodies.count, bodies_bytes: bodies.bytes },
    refused_total: by('share', Object.fromEntries(refusals.counts)),
    ...(connections && {
      database_connections_used: connections.used,
      database_connections_awaited: connections.waiting,
    }),
    ...queue,
    ...deliveries,
    ...storage,
  }
  return Object.entries(values).map(([name, value]) => metric(name, METRICS[name as Name], value))
}

function by(label: string, counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).map(([value, count]) => [`${label}="${value}"`, count])
}

function valuesOfCaptures({ times, storedBytes, underWay }: CaptureFigures): Values {
  const all = Array.from(times, ([outcome, each]) => [`outcome="${outcome}"`, each] as const)
  return {
    captures_total: all.map(([labels, { counts }]) => [labels, counts.reduce((sum, each) => sum + each)]),
    capture_duration_seconds: new Map(all),
    captures_under_way: underWay,
    stored_bytes_total: storedBytes,
  }
}

function valuesOfSchedules({ made, late, missed, skipped, failed, begun }: ScheduleFigures): Values {
  return {
    schedule_times_total: by('outcome', { made, missed, skipped, failed }),
    schedule_due_total: made + missed + skipped + failed,
    schedule_late_total: late,
    scheduled_roots_begun_total: begun,
  }
}

async function readQueue({ figures, clock }: HttpContext): Promise<Values> {
  const { waiting, running, oldest } = await figures.backlog()
  return { queue_waiting: waiting, queue_running: running, queue_oldest_seconds: ageOf(oldest, clock) }
}

async function readDeliveries({ figures, clock }: HttpContext): Promise<Values> {
  const { ended, attempts } = figures.deliveries
  const { pending, oldest, off } = await figures.deliveriesBacklog()
  return {
    deliveries_total: by('outcome', ended),
    delivery_attempts_total: by('outcome', attempts),
    deliveries_pending: pending,
    deliveries_oldest_seconds: ageOf(oldest, clock),
    webhooks_off: off,
  }
}

function ageOf(oldest: number | undefined, clock: () => number): number {
  return oldest === undefined ? 0 : Math.max(0, clock() - oldest) / 1_000
}

async function readStorage({ images, whyWaiting }: HttpContext): Promise<Values> {
  const isWritable = (await whyWaiting()) === undefined
  const room = await images.room()
  return {
    storage_writable: isWritable ? 1 : 0,
    ...(room && {
      storage_free_bytes: room.freeBytes,
      storage_total_bytes: room.totalBytes,
      storage_full: room.isFull ? 1 : 0,
    }),
  }
}

// The text format of Prometheus.

/** A metric whose name ends in `_total` is a counter. */
export function metric(name: string, help: string, value: Value): string {
  const full = PREFIX + name
  const isHistogram = value instanceof Map
  const type = isHistogram ? 'histogram' : name.endsWith('_total') ? 'counter' : 'gauge'
  const lines = isHistogram ? bucketsOf(full, value) : samplesOf(full, value)
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join('\n')
}

function samplesOf(full: string, value: number | readonly Sample[]): string[] {
  if (typeof value === 'number') return [`${full} ${value}`]
  return value.map(([labels, each]) => `${full}{${labels}} ${each}`)
}

function bucketsOf(full: string, histogram: Histogram): string[] {
  return [...histogram].flatMap(([labels, { ends, counts, sum }]) => {
    let count = 0
    const buckets = counts.map((each, index) => {
      count += each
      return `${full}_bucket{le="${ends[index] ?? '+Inf'}",${labels}} ${count}`
    })
    return [...buckets, `${full}_sum{${labels}} ${sum}`, `${full}_count{${labels}} ${count}`]
  })
}
