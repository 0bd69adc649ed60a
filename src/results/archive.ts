import { crc32 } from 'node:zlib'
import { numberedFileName } from '../contract/picture-names.ts'
import { AppError, need } from '../errors.ts'
import { filesOf, type ImageKey, type Images, type OpenImage } from '../images/images.ts'
import { FairTurns, type InTurn } from '../shares/fair-turns.ts'
import type { JobText } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import { inParallel } from '../work/limiter.ts'
import type { JobFields } from './render.ts'
import { writeZip, type ZipEntry } from './zip.ts'

const JOBS_AT_ONCE = 200
/** Pictures of an archive that are read ahead: a bucket needs some time for each. */
const PICTURES_AHEAD = 4
/** A larger picture is not held in memory but read twice: for its checksum, which comes first, and to send it. */
const MOST_HELD_BYTES = 4 * 1024 * 1024
/** Most bytes that all archives hold. While they do, further pictures are read twice. */
const MOST_HELD_TOGETHER = 64 * 1024 * 1024
/**
 * Pictures that all archives read at a time. Each is an open file or connection. Each that arrives takes a tenth of a
 * millisecond, perhaps all in the same iteration of the event loop.
 */
const READ_AT_ONCE = 16
/** The same for the archives of one client: files are read by other threads, and these need the processor as well. */
const READ_OF_ONE = 4
/** Digits of the numbers in file names, at least. */
const DIGITS = 3

export type MakeArchive = ReturnType<typeof createArchives>

/**
 * Makes the pictures of a root, in their order, into one ZIP archive. They are read in the turns of the client. `onGone` is called with
 * a picture that is not there, before the archive fails; then it must not be finished. All archives together stay within the limits
 * above, even if there are many and their readers are slow.
 */
export function createArchives(store: Store, images: Images, turns: FairTurns) {
  const reading = new FairTurns(READ_AT_ONCE, READ_OF_ONE)
  let heldTogether = 0

  return async function* makeArchive(
    projectId: string,
    { rootId, jobCount }: RootHead,
    { client, onGone }: { client: string; onGone: (key: ImageKey) => Promise<void> },
  ): AsyncGenerator<Uint8Array> {
    const inTurn = turns.for(client)
    const request = (await inTurn(() => store.browsing.requestsOf(projectId, [rootId]))).get(rootId)
    const digits = Math.max(DIGITS, String(request?.counts.total ?? jobCount).length)
    let held = 0
    const hold = (bytes: number) => {
      held += bytes
      heldTogether += bytes
    }
    const openPicture = async (key: ImageKey): Promise<OpenImage> => {
      const image = await images.open(key)
      if (image) return image
      await onGone(key)
      throw new AppError('storage_failed', `The picture ${key} is gone.`)
    }
    const makeEntry = async (job: JobText) => {
      const { url, meta } = JSON.parse(`{${job.fields}}`) as JobFields
      const name = numberedFileName({ position: job.position, name: url.name }, digits)
      const { picture: key } = filesOf(projectId, job)
      const read = async () => {
        const image = await openPicture(key)
        const { size } = image
        const keep = size <= MOST_HELD_BYTES && heldTogether + size <= MOST_HELD_TOGETHER
        if (keep) hold(size)
        return { size, bytes: keep ? size : 0, ...(await readPicture(image, keep)) }
      }
      const picture = await reading.run(client, read)
      const again = async function* () {
        yield* wholeOf(await openPicture(key))
      }
      const { size, crc, chunks, bytes } = picture
      const entry: ZipEntry = { name, modified: meta.created, size, crc, read: () => chunks ?? again() }
      return { bytes, entry }
    }
    const makeEntries = async function* () {
      const jobs = walkJobs(store, projectId, rootId, inTurn)
      for await (const { entry, bytes } of inParallel(jobs, PICTURES_AHEAD, makeEntry)) {
        yield entry
        hold(-bytes)
      }
    }
    try {
      yield* writeZip(makeEntries())
    } finally {
      heldTogether -= held
    }
  }
}

async function* walkJobs(
  store: Store,
  projectId: string,
  rootId: string,
  inTurn: InTurn,
): AsyncGenerator<JobText> {
  for (let from = 0; ; ) {
    const page = { from, limit: JOBS_AT_ONCE }
    const { jobs } = need(await inTurn(() => store.pageTexts(projectId, rootId, page)))
    yield* jobs
    if (jobs.length < JOBS_AT_ONCE) return
    from = (jobs.at(-1)?.position ?? 0) + 1
  }
}

async function readPicture(image: OpenImage, keep: boolean) {
  const chunks: Uint8Array[] | undefined = keep ? [] : undefined
  let crc = 0
  for await (const chunk of wholeOf(image)) {
    crc = crc32(chunk, crc)
    chunks?.push(chunk)
  }
  return { crc, chunks }
}

function wholeOf(image: OpenImage): AsyncIterable<Uint8Array> {
  return image.stream({ start: 0, end: image.size - 1 })
}
