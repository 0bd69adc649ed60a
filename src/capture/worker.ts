import type { Logger } from 'pino'
import { type Camera, CaptureFailure } from '../camera/camera.ts'
import { DEFAULT_BASEPATH } from '../contract/results.ts'
import { type Images, pictureKey, previewKey } from '../images/images.ts'
import { readPicture } from '../picture.ts'
import { MAX_ATTEMPTS, type Work } from '../queue/queue.ts'
import { isOurs } from '../queue/retry.ts'
import type { Captured, Captures, CaptureTask, Failed } from '../store/captures.ts'
import { tidySeen } from './tidy-seen.ts'

export interface WorkerOptions {
  readonly camera: Camera
  readonly captures: Captures
  readonly images: Images
  readonly limits: { readonly picturePixels: number }
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly clock: () => number
  readonly onBegun: (task: CaptureTask) => void
  /** Called whenever this process has ended a capture: `done`, or the reason why it failed. */
  readonly onEnded: (task: CaptureTask, outcome: string) => void
}

/** From a task to a result: picture, preview, both durable, then the row that shows them. */
export function createWork({
  camera,
  captures,
  images,
  limits,
  log,
  clock,
  onBegun,
  onEnded,
}: WorkerOptions): Work {
  return async (task, signal) => {
    onBegun(task)
    const outcome = await capture(task, signal)
    // Whoever lost it meanwhile changes nothing: the store knows whose it is.
    const ended = await captures.finish(task, outcome, clock())
    const { rootId, position, attempts } = task
    // Whoever asked may be told less.
    const { reason, detail } = 'reason' in outcome ? outcome : {}
    const what = reason ? { reason, detail } : { uuid: task.uuid }
    log.info({ rootId, position, attempts, ...what, late: !ended }, 'captured')
    if (ended) onEnded(task, 'reason' in outcome ? outcome.reason : 'done')
  }

  async function capture(task: CaptureTask, signal: AbortSignal): Promise<Captured | Failed> {
    if (task.attempts > MAX_ATTEMPTS) {
      return {
        reason: 'crashed',
        detail: `Capturing it was begun ${MAX_ATTEMPTS} times and never came to an end.`,
      }
    }
    try {
      const shot = await camera.shoot(task, signal)
      const seen = tidySeen(shot.seen)
      return { ...(await store(task, shot.bytes, signal)), basepath: DEFAULT_BASEPATH, seen }
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof CaptureFailure) {
        if (error.reason === 'crashed' && task.attempts < MAX_ATTEMPTS) throw error
        return { reason: error.reason, detail: error.message, seen: error.seen && tidySeen(error.seen) }
      }
      if (isOurs(error) || task.attempts < MAX_ATTEMPTS) throw error
      log.warn({ err: error, rootId: task.rootId, position: task.position }, 'a capture failed for good')
      return {
        reason: 'internal',
        detail: 'Something went wrong on our side; the log of the service has the details.',
      }
    }
  }

  async function store(
    { projectId, uuid }: CaptureTask,
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<{ width: number; height: number }> {
    const picture = await readPicture(bytes, limits.picturePixels)
    const batch = await images.startBatch()
    try {
      await batch.add(pictureKey(projectId, uuid), picture.bytes)
      await batch.add(previewKey(projectId, uuid), picture.preview)
      await batch.publish({ before: () => signal.throwIfAborted() })
      return { width: picture.width, height: picture.height }
    } finally {
      await batch.discard()
    }
  }
}
