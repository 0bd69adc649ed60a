import { type ConstructorOptions, type Job, type JobInsert, PgBoss, type StopOptions } from 'pg-boss'
import { AppError } from '../errors.ts'
import type { Captures, QueuedCapture } from '../store/captures.ts'
import type { Queue, QueueOptions } from './queue.ts'
import { isOurs } from './retry.ts'

const NAME = 'captures'
/** A worker that was not heard of for this long has lost what it was at. */
const HEARTBEAT_S = 20
const REFRESH_S = 5
/** How often it is looked for such workers, by whoever is first. */
const SUPERVISE_S = 5
const POLL_S = 1
const DAY_S = 86_400
const QUEUE = {
  heartbeatSeconds: HEARTBEAT_S,
  /** Longer than the longest capture may take; whoever is slower than that is stuck. */
  expireInSeconds: 1_800,
  // How often is for the store to count, which knows which attempts were the page's fault; how long is for pg-boss.
  retryLimit: 1_000_000,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 60,
  /** Nothing that was accepted is ever forgotten; what is finished soon is, since the store knows it. */
  retentionSeconds: 3_650 * DAY_S,
  deleteAfterSeconds: 600,
}

export interface BossOptions extends QueueOptions {
  readonly captures: Captures
  /** A place of its own for pg-boss's tables. */
  readonly schema: string
  readonly database: NonNullable<ConstructorOptions['db']>
  /** Called when the queue is closed. */
  readonly release: () => Promise<void>
}

type Place = Pick<QueuedCapture, 'projectId' | 'rootId' | 'position'>

/** pg-boss keeps the queue in the same database; any number of processes work it off. */
export async function openBossQueue({
  captures,
  work,
  concurrency,
  log,
  schema,
  database,
  release,
  clock = Date.now,
  mayNotBegin,
}: BossOptions): Promise<Queue> {
  const boss = new PgBoss({
    db: database,
    schema,
    schedule: false,
    supervise: concurrency > 0,
    superviseIntervalSeconds: SUPERVISE_S,
    monitorIntervalSeconds: SUPERVISE_S,
    // For tables that live longer than a queue's.
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.error({ err: error }, 'the queue cannot be reached at the moment'))
  boss.on('warning', (warning) => log.warn({ warning }, 'pg-boss warns'))
  const closing = new AbortController()

  const handle = async ([job]: Job<Place>[]): Promise<void> => {
    if (!job) return
    // It comes back by itself, and is not counted: it was not begun.
    if (await mayNotBegin?.()) throw new AppError('storage_full')
    const task = await captures.take(job.data, { now: clock(), leaseMs: HEARTBEAT_S * 1_000 })
    // Finished by someone who was thought dead.
    if (!task) return
    try {
      await work(task, AbortSignal.any([job.signal, closing.signal]))
    } catch (error) {
      // Whoever has it now must not be disturbed; the store would refuse it, too.
      if (job.signal.aborted && !closing.signal.aborted) return
      const counts = !closing.signal.aborted && !isOurs(error)
      await captures.putBack(task, { due: 0, counts }).catch(() => {})
      if (!closing.signal.aborted) {
        log.warn({ err: error, rootId: task.rootId, position: task.position }, 'a capture is tried again')
      }
      throw error
    }
  }

  const workers: string[] = []
  const startWorker = async (): Promise<void> => {
    const options = { pollingIntervalSeconds: POLL_S, heartbeatRefreshSeconds: REFRESH_S }
    let worker = ''
    worker = await boss.work<Place>(NAME, options, async (jobs) => {
      try {
        await handle(jobs)
      } finally {
        // Where there was one there may be another: no need to wait until it is looked for.
        boss.notifyWorker(worker)
      }
    })
    workers.push(worker)
  }
  const stop = async (options: StopOptions): Promise<void> => {
    try {
      await boss.stop({ ...options, close: false })
    } finally {
      await release()
    }
  }

  try {
    await boss.start()
    await boss.createQueue(NAME, QUEUE)
    // One that an older version made.
    await boss.updateQueue(NAME, QUEUE)
    for (let index = 0; index < concurrency; index++) await startWorker()
  } catch (error) {
    await stop({ graceful: false }).catch(() => {})
    throw error
  }
  return {
    async also(queued, execute) {
      const jobs = queued.map(
        ({ projectId, rootId, position, turn }): JobInsert<Place> => ({
          data: { projectId, rootId, position },
          priority: -turn,
        }),
      )
      await boss.insert(NAME, jobs, {
        db: { executeSql: async (text, values) => ({ rows: await execute(text, values) }) },
      })
    },
    wake() {
      for (const worker of workers) boss.notifyWorker(worker)
    },
    async close() {
      closing.abort(new Error('the service stops'))
      // A database that is away hears of it from nobody, and finds out by itself.
      await stop({ graceful: true, timeout: 20_000 }).catch((error) =>
        log.warn({ err: error }, 'the queue was left without a word'),
      )
    },
  }
}
