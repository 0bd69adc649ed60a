import { pino } from 'pino'
import { toStatus } from '../../capture/status.ts'
import type { Config } from '../../config/config.ts'
import { parseScreenshotRequest } from '../../contract/screenshot-request.ts'
import { isFinal } from '../../contract/status.ts'
import { AppError } from '../../errors.ts'
import { filesOf } from '../../images/images.ts'
import { type Capturing, openCapturing } from '../../service/capturing.ts'
import { requireMatching } from '../../service/check-storages.ts'
import type { Storage } from '../../service/storage.ts'
import { getProjectId, withStorage } from '../storage.ts'
import type { CaptureDesk } from './desk.ts'

/** The storage and the capturing of this process. */
export interface Here {
  readonly storage: Storage
  readonly capturing: Capturing
}

/** Captures in this process, into the configured storage. */
export async function captureHere<T>(
  project: string | undefined,
  work: (desk: CaptureDesk, limits: Config['limits'], here: Here) => Promise<T>,
): Promise<T> {
  return await withStorage(async (storage, config) => {
    await requireMatching(storage, config)
    const projectId = await getProjectId(storage, project)
    // On a terminal the progress bar and the table are enough: log only warnings.
    const log = pino({ level: 'error' }, pino.destination(2))
    const capturing = await openCapturing(config, storage, { log, clock: Date.now, takes: 'own' })
    const desk: CaptureDesk = {
      projectId,
      gallery: galleryOf(config),
      mayNotRun: true,
      async submit({ request }) {
        const { asked } = parseScreenshotRequest(request, config.limits)
        if (!asked) throw new AppError('bad_request')
        await capturing.ready()
        return await capturing.requests.accept(projectId, asked, {
          now: Date.now(),
          idempotencyKey: undefined,
        })
      },
      async *follow(rootId, signal) {
        while (!signal.aborted) {
          const changes = await storage.store.captures.findChanges(projectId, rootId, 0)
          if (!changes) throw new AppError('not_found')
          // The user of this command is the operator.
          const status = toStatus(rootId, changes, {
            isExplained: true,
            waiting: await capturing.whyWaiting(),
          })
          yield status
          if (isFinal(status.state)) return
          await capturing.watchers.newer(
            { projectId, rootId },
            { client: '', since: changes.version },
            signal,
          )
        }
      },
      async readPicture(_rootId, uuid) {
        const job = await storage.store.browsing.findJob(projectId, uuid)
        const image = job && (await storage.images.open(filesOf(projectId, job.text).picture))
        if (!image) throw new AppError('not_found', `the picture ${uuid} is missing`)
        return image.stream({ start: 0, end: image.size - 1 })
      },
    }
    try {
      return await work(desk, config.limits, { storage, capturing })
    } finally {
      await capturing.close()
    }
  })
}

/** Where the gallery is when the service runs with these settings. */
function galleryOf({ publicUrl, host, port }: Config): string {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host
  return publicUrl ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
