import type { Logger } from 'pino'
import { type Camera, CaptureFailure, type Shot } from '../camera/camera.ts'
import type { PageOptions } from '../contract/capture-options.ts'
import { ignoredBy } from '../contract/options/finish.ts'
import { homeOf } from '../contract/options/steps.ts'
import { MAX_URL } from '../contract/requests.ts'
import { DEFAULT_BASEPATH } from '../contract/results.ts'
import { MARK_NAMES, type Note, type Seen } from '../contract/seen.ts'
import { AppError } from '../errors.ts'
import { filesOf, type Images } from '../images/images.ts'
import { finishPicture, TooManyPixels } from '../picture/finish.ts'
import { type Picture, readPicture } from '../picture/picture.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import { type Captured, type CaptureTask, type Failed, SUSPECT_DEATHS } from '../store/captures.ts'
import type { Store } from '../store/store.ts'
import type { CaptureFigures } from './figures.ts'
import { createHush } from './hush.ts'
import { isOurs, MAX_ATTEMPTS, MAX_DEATHS, StoodStill, type Work } from './queue.ts'
import { openTask } from './seal-request.ts'
import type { Standstill } from './standstill.ts'

const MAX_TITLE = 500
const MAX_DETAIL = 1_000
/** A page may lead to an address with a user name and a password. */
const USER_OF_ADDRESS = /^(https?:\/\/)[^/?#]*@/i

export interface WorkerOptions {
  readonly camera: Camera
  readonly captures: Store['captures']
  readonly images: Images
  readonly ring: KeyRing
  readonly limits: { readonly picturePixels: number; readonly captureBytes: number }
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly clock: () => number
  readonly figures: CaptureFigures
  readonly standstill: Pick<Standstill, 'since'>
  readonly onBegun: (task: CaptureTask) => void
  readonly onEnded: (task: CaptureTask) => void
}

/** Captures a page: takes its picture, finishes it, makes the preview, stores both, and then writes the row that shows them. */
export function createWork({
  camera,
  captures,
  images,
  ring,
  limits,
  log,
  clock,
  figures,
  standstill,
  onBegun,
  onEnded,
}: WorkerOptions): Work {
  return async (task, signal) => {
    figures.begin()
    await run(task, signal).finally(() => figures.leave())
  }

  async function run(task: CaptureTask, signal: AbortSignal): Promise<void> {
    const began = performance.now()
    onBegun(task)
    const outcome = await capture(task, signal, began)
    // Changes nothing if another process has taken over: the store knows the last attempt.
    const ended = await captures.finish(task, outcome, clock())
    const { rootId, position, attempts } = task
    // The log has the full reason. The client may see less.
    const { reason, detail } = 'reason' in outcome ? outcome : {}
    const what = reason ? { reason, detail } : { uuid: task.uuid }
    log.info({ rootId, position, attempts, ...what, late: !ended }, 'captured')
    if (!ended) return
    const end = 'reason' in outcome ? outcome.reason : 'done'
    figures.end(end, (performance.now() - began) / 1_000)
    onEnded(task)
  }

  async function capture(task: CaptureTask, signal: AbortSignal, began: number): Promise<Captured | Failed> {
    if (task.deaths >= MAX_DEATHS) {
      return {
        reason: 'crashed',
        detail:
          `The process that captured it died ${MAX_DEATHS} times, ` +
          `the last ${MAX_DEATHS - SUSPECT_DEATHS} times with nothing else under way.`,
      }
    }
    try {
      const shot = await shoot(task, signal)
      const seen = tidySeen(withNotes(shot.seen, notesOf(task.options)))
      const finished = await finish(shot.bytes, task.options, signal)
      return { ...(await store(task, finished, signal)), basepath: DEFAULT_BASEPATH, seen }
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof CannotOpen) {
        // Another process may have the key, or get it with its next start.
        if (error.isKeyMissing && task.attempts < MAX_ATTEMPTS) throw error
        const detail = `Its password, headers or cookies cannot be decrypted. ${error.message} Send the request again.`
        return { reason: 'secrets', detail }
      }
      if (error instanceof CaptureFailure) {
        if (standstill.since(began))
          throw new StoodStill('the process stood still meanwhile', { cause: error })
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

  /** Only the camera gets the secrets of the page. Nothing that it returns or throws contains them. */
  async function shoot(sealed: CaptureTask, signal: AbortSignal): Promise<Shot> {
    const { task, secrets } = openTask(sealed, ring)
    const hush = createHush(secrets, {
      url: new URL(task.url).href,
      home: homeOf(task.url, task.options.loginParameter),
    })
    try {
      const shot = await camera.shoot(task, signal)
      return { ...shot, seen: await hush.seen(shot.seen) }
    } catch (thrown) {
      const error = await hush.error(thrown)
      if (!(error instanceof CaptureFailure && error.seen)) throw error
      throw new CaptureFailure(error.reason, error.message, await hush.seen(error.seen))
    }
  }

  /** The picture of a page as it was asked for: cropped, framed, with its effects. Throws CaptureFailure `too_large`. */
  async function finish(png: Buffer, options: PageOptions, signal: AbortSignal): Promise<Buffer> {
    const { picturePixels: maxPixels, captureBytes } = limits
    const finished = await finishPicture(png, options, { maxPixels, signal }).catch((error) => {
      throw error instanceof TooManyPixels ? new CaptureFailure('too_large', error.message) : error
    })
    if (finished !== png && finished.length > captureBytes) {
      const detail = `The finished picture has ${finished.length} bytes, more than ${captureBytes} (MAX_CAPTURE_BYTES).`
      throw new CaptureFailure('too_large', detail)
    }
    return finished
  }

  async function store(
    task: CaptureTask,
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<{ width: number; height: number }> {
    const picture = await readPicture(bytes, limits.picturePixels)
    try {
      await publish(task, picture, signal)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'storage_full') throw error
      if (await canNeverFit(picture)) throw neverFits(picture)
      // Other pictures may have taken the space for a moment.
      await publish(task, picture, signal)
    }
    figures.storedBytes += picture.bytes.length + picture.preview.length
    return { width: picture.width, height: picture.height }
  }

  /** It is larger than the whole disk. Any other picture waits for space. */
  async function canNeverFit({ bytes, preview }: Picture): Promise<boolean> {
    const room = await images.room().catch(() => undefined)
    return room !== undefined && bytes.length + preview.length > room.totalBytes
  }

  async function publish({ projectId, uuid }: CaptureTask, picture: Picture, signal: AbortSignal) {
    const batch = await images.startBatch()
    try {
      const files = filesOf(projectId, { picture: uuid })
      await batch.add(files.picture, picture.bytes)
      await batch.add(files.preview, picture.preview)
      await batch.publish({ before: () => signal.throwIfAborted() })
    } finally {
      await batch.discard()
    }
  }
}

function neverFits({ bytes, width, height }: Picture): CaptureFailure {
  return new CaptureFailure(
    'too_large',
    `The picture, ${width} × ${height} pixels, has ${bytes.length} bytes: with its preview ` +
      'it is larger than the whole disk that holds the pictures.',
  )
}

function notesOf({ effects = [] }: PageOptions): Note[] {
  return effects.flatMap((each, index) => {
    const ignored = ignoredBy(each).join(', ')
    return ignored
      ? [{ note: 'effect', detail: `Effect ${index + 1} (${each.effect}) ignores ${ignored}.` }]
      : []
  })
}

function withNotes(seen: Seen, notes: readonly Note[]): Seen {
  return notes.length > 0 ? { ...seen, notes: [...(seen.notes ?? []), ...notes] } : seen
}

/** The page chose these texts. They are shortened, and changed so that every database can store them. */
export function tidySeen({ status, url, title, failedResources, marks, notes }: Seen): Seen {
  return {
    status,
    url: tidyText(url.replace(USER_OF_ADDRESS, '$1'), MAX_URL),
    title: tidyText(title, MAX_TITLE),
    failedResources,
    marks: MARK_NAMES.filter((mark) => marks.includes(mark)),
    ...(notes && {
      notes: notes.map(({ note, detail }) => ({ note, detail: tidyText(detail, MAX_DETAIL) })),
    }),
  }
}

function tidyText(text: string, max: number): string {
  const short = text.replaceAll('\0', '').slice(0, max)
  // The cut may leave half of a character. The text may have other halves.
  return short.replace(/[\ud800-\udbff]$/, '').toWellFormed()
}
