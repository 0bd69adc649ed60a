import { type Logger, pino } from 'pino'
import { toStatus } from '../../capture/status.ts'
import type { Config } from '../../config/config.ts'
import { parseScreenshotRequest } from '../../contract/screenshot-request.ts'
import { isFinal } from '../../contract/status.ts'
import { timeOf } from '../../contract/when.ts'
import { AppError } from '../../errors.ts'
import { filesOf } from '../../images/images.ts'
import { type Capturing, openCapturing } from '../../service/capturing.ts'
import { requireMatching } from '../../service/check-storages.ts'
import { formatTime, say } from '../say.ts'
import { getProjectId, type Opened, withStorage } from '../storage.ts'
import { type CaptureDesk, type Order, refuseMistakes } from './orders.ts'

type OpenedToCapture = Opened & { readonly capturing: Capturing }

/** Captures in this process, into the configured storage. */
export async function captureHere<T>(
  project: string | undefined,
  work: (desk: CaptureDesk, opened: OpenedToCapture) => Promise<T>,
): Promise<T> {
  return await withStorage(async (storage, config) => {
    await requireMatching(storage, config)
    const projectId = await getProjectId(storage, project)
    // On a terminal the progress bar and the table are enough: log only warnings.
    const log = pino({ level: 'error' }, pino.destination(2))
    return await withCapturing({ storage, config }, { log, takes: 'own' }, async (capturing) => {
      const opened = { storage, config, projectId, capturing }
      return await work(deskOf(opened), opened)
    })
  })
}

/** Accepts requests, but captures nothing and runs no schedules: a service or `proofsheet work` does. */
export async function withIdleCapturing<T>(
  opened: Pick<Opened, 'storage' | 'config'>,
  work: (capturing: Capturing) => Promise<T>,
): Promise<T> {
  return await withCapturing(opened, { log: pino({ level: 'silent' }), takes: 'nothing' }, work)
}

async function withCapturing<T>(
  { storage, config }: Pick<Opened, 'storage' | 'config'>,
  options: { log: Logger; takes: 'own' | 'nothing' },
  work: (capturing: Capturing) => Promise<T>,
): Promise<T> {
  const capturing = await openCapturing(config, storage, { clock: Date.now, ...options })
  try {
    return await work(capturing)
  } finally {
    await capturing.close()
  }
}

/** For a service or a worker that runs on the configured storage at the time of the request. */
export async function scheduleHere<T>(
  project: string | undefined,
  orders: readonly Order[],
  work: (desk: Pick<CaptureDesk, 'submit'>) => Promise<T>,
): Promise<T> {
  return await withStorage(async (storage, config) => {
    refuseMistakes(orders, config.limits)
    const projectId = await getProjectId(storage, project)
    return await withIdleCapturing({ storage, config }, async (capturing) => {
      const submit = async (order: Order) => {
        const { rootId, scheduled } = await accept(order, { storage, config, projectId, capturing })
        const time = scheduled === undefined ? 'now' : `at ${formatTime(scheduled)} UTC`
        say(
          `Root ${rootId} will be captured ${time}, by a service (\`proofsheet serve\`) or a worker (\`proofsheet work\`) on this storage.`,
        )
        return rootId
      }
      return await work({ submit })
    })
  })
}

async function accept({ request }: Order, { config, projectId, capturing }: OpenedToCapture) {
  const { asked, when } = parseScreenshotRequest(request, config.limits)
  if (!asked) throw new AppError('bad_request')
  await capturing.ready()
  const now = Date.now()
  const scheduled = timeOf(when, now)
  const origin = scheduled === undefined ? {} : { scheduled }
  const options = { now, idempotencyKey: undefined, origin }
  return { rootId: await capturing.requests.accept(projectId, asked, options), scheduled }
}

function deskOf(opened: OpenedToCapture): CaptureDesk {
  const { storage, config, projectId, capturing } = opened
  return {
    projectId,
    gallery: galleryOf(config),
    mayNotRun: true,
    submit: async (order) => (await accept(order, opened)).rootId,
    async *follow(rootId, signal) {
      while (!signal.aborted) {
        const changes = await storage.store.captures.findChanges(projectId, rootId, 0)
        if (!changes) throw new AppError('not_found')
        // The user of this command is the operator.
        const status = toStatus(rootId, changes, { isExplained: true, waiting: await capturing.whyWaiting() })
        yield status
        if (isFinal(status.state)) return
        const seen = { client: '', since: changes.version }
        await capturing.watchers.newer({ projectId, rootId }, seen, signal)
      }
    },
    async readPicture(_rootId, uuid) {
      const job = await storage.store.browsing.findJob(projectId, uuid)
      const image = job && (await storage.images.open(filesOf(projectId, job.text).picture))
      if (!image) throw new AppError('not_found', `the picture ${uuid} is missing`)
      return image.stream({ start: 0, end: image.size - 1 })
    },
  }
}

/** Where the gallery is when the service runs with these settings. */
function galleryOf({ publicUrl, host, port }: Config): string {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host
  return publicUrl ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
