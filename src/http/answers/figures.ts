import { CAPTURE_BUCKETS, type CaptureFigures } from '../../capture/figures.ts'
import type { WhyWaiting } from '../../capture/why-waiting.ts'
import type { Images } from '../../images/images.ts'
import type { ScheduleFigures } from '../../schedules/runs.ts'
import type { DeliveryFigures } from '../../webhooks/figures.ts'
import { counter, gauge, histogram } from './exposition.ts'

/** The figures of this process, except those of its requests. */
export interface Figures {
  readonly captures: CaptureFigures
  readonly schedules: ScheduleFigures
  /** Pages that wait to be captured, by any process, and when the oldest was requested. */
  backlog(): Promise<{
    readonly waiting: number
    readonly running: number
    readonly oldest: number | undefined
  }>
  readonly deliveries: DeliveryFigures
  /** Deliveries that are pending, by any process, and when the oldest of them happened. */
  deliveriesBacklog(): Promise<{
    readonly pending: number
    readonly oldest: number | undefined
    readonly off: number
  }>
  /** Undefined if connections have no limit. */
  databaseConnections(): { readonly used: number; readonly waiting: number } | undefined
  /** Clients that wait for changes of a root: event streams, and requests with `wait`. */
  watchers(): number
  /** Request bodies in memory. */
  bodies(): { readonly count: number; readonly bytes: number }
  /** How often a client was refused, by the share that it had used up. */
  readonly refused: ReadonlyMap<string, number>
  /** How often a picture of a result was not there, by its condition. */
  readonly gone: ReadonlyMap<string, number>
  /** Removed by sweeps: files that no row points at, and batches that were never published. */
  readonly swept: { readonly orphans: number; readonly staging: number }
}

interface Context {
  readonly figures: Figures
  readonly images: Images
  readonly clock: () => number
  readonly whyWaiting: WhyWaiting
}

/** The figures for operators. A figure that cannot be read at the moment is left out. */
export async function renderFigures(context: Context): Promise<string[]> {
  const [queue, deliveries, storage] = await Promise.all([
    describeQueue(context).catch(() => []),
    describeDeliveries(context).catch(() => []),
    describeStorage(context).catch(() => []),
  ])
  const { captures } = context.figures
  return [
    ...describeCaptures(captures),
    ...describeSchedules(context.figures.schedules),
    ...describePictures(context.figures),
    ...describeShares(context),
    ...queue,
    ...deliveries,
    ...storage,
  ]
}

function describePictures({ gone, swept }: Figures): string[] {
  return [
    counter(
      'pictures_gone_total',
      'Requests for pictures of results that were missing or damaged.',
      [...gone].map(([condition, times]) => [`condition="${condition}"`, times] as const),
    ),
    counter(
      'swept_total',
      'Files that no result points at (orphan) and batches of pictures that were never published (staging), removed by this process.',
      [
        ['kind="orphan"', swept.orphans],
        ['kind="staging"', swept.staging],
      ],
    ),
  ]
}

function describeCaptures({ times, storedBytes, underWay }: CaptureFigures): string[] {
  const series = [...times].map(([outcome, each]) => ({ labels: `outcome="${outcome}"`, ...each }))
  const total = series.map(
    ({ labels, counts }) => [labels, counts.reduce((sum, each) => sum + each)] as const,
  )
  return [
    counter('captures_total', 'Pages that this process has captured or given up, by outcome.', total),
    histogram(
      'capture_duration_seconds',
      'Time from the beginning of a capture to its end, by outcome.',
      CAPTURE_BUCKETS,
      series,
    ),
    gauge('captures_under_way', 'Pages that this process captures at the moment.', underWay),
    counter(
      'stored_bytes_total',
      'Bytes of pictures and previews that this process has stored.',
      storedBytes,
    ),
  ]
}

function describeSchedules({ made, late, missed, skipped, failed, begun }: ScheduleFigures): string[] {
  return [
    counter(
      'schedule_times_total',
      'Times of recurring schedules that this process has handled, by outcome.',
      [
        ['outcome="made"', made],
        ['outcome="missed"', missed],
        ['outcome="skipped"', skipped],
        ['outcome="failed"', failed],
      ],
    ),
    counter(
      'schedule_due_total',
      'Times of recurring schedules that were due and that this process has handled.',
      made + missed + skipped + failed,
    ),
    counter(
      'schedule_late_total',
      'Roots of schedules that this process has created more than a minute late.',
      late,
    ),
    counter('scheduled_roots_begun_total', 'Scheduled roots that this process has begun.', begun),
  ]
}

function describeShares({ figures }: Context): string[] {
  const { count, bytes } = figures.bodies()
  const connections = figures.databaseConnections()
  return [
    gauge('watchers', 'Event streams and requests that wait for the status of a root.', figures.watchers()),
    gauge('bodies', 'Request bodies in memory.', count),
    gauge('bodies_bytes', 'Bytes of the request bodies in memory.', bytes),
    counter(
      'refused_total',
      'Requests that were refused because their client had used up its share.',
      [...figures.refused].map(([share, times]) => [`share="${share}"`, times] as const),
    ),
    ...(connections
      ? [
          gauge('database_connections_used', 'Connections to the database in use.', connections.used),
          gauge(
            'database_connections_awaited',
            'Statements that wait for a connection to the database.',
            connections.waiting,
          ),
        ]
      : []),
  ]
}

async function describeQueue({ figures, clock }: Context): Promise<string[]> {
  const { waiting, running, oldest } = await figures.backlog()
  const age = oldest === undefined ? 0 : Math.max(0, clock() - oldest) / 1_000
  return [
    gauge('queue_waiting', 'Pages that wait to be captured, by any process.', waiting),
    gauge('queue_running', 'Pages that are being captured, by any process.', running),
    gauge('queue_oldest_seconds', 'How long ago the oldest waiting page was requested.', age),
  ]
}

async function describeDeliveries({ figures, clock }: Context): Promise<string[]> {
  const { ended, attempts } = figures.deliveries
  const { pending, oldest, off } = await figures.deliveriesBacklog()
  const age = oldest === undefined ? 0 : Math.max(0, clock() - oldest) / 1_000
  const samples = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([outcome, times]) => [`outcome="${outcome}"`, times] as const)
  return [
    counter(
      'deliveries_total',
      'Deliveries of webhooks that this process has ended, by outcome.',
      samples(ended),
    ),
    counter(
      'delivery_attempts_total',
      'Attempts at deliveries: delivered, answered with another status, or unreachable.',
      samples(attempts),
    ),
    gauge(
      'deliveries_pending',
      'Deliveries that are not delivered yet, by any process. Counted up to 10,000.',
      pending,
    ),
    gauge('deliveries_oldest_seconds', 'How long ago the oldest of them happened.', age),
    gauge('webhooks_off', 'Webhooks that the service has switched off.', off),
  ]
}

async function describeStorage({ images, whyWaiting }: Context): Promise<string[]> {
  const isWritable = (await whyWaiting()) === undefined
  const writable = gauge(
    'storage_writable',
    '0 while nothing can be written to the database or to the pictures: captures wait.',
    isWritable ? 1 : 0,
  )
  const room = await images.room()
  if (!room) return [writable]
  return [
    writable,
    gauge('storage_free_bytes', 'Free bytes of the disk that holds the pictures.', room.freeBytes),
    gauge('storage_total_bytes', 'The size of the disk that holds the pictures.', room.totalBytes),
    gauge('storage_full', '1 while nothing is captured because that disk is full.', room.isFull ? 1 : 0),
  ]
}
