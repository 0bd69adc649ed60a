import { crc32 } from 'node:zlib'
import { numberedFileName } from '../contract/picture-names.ts'
import { AppError } from '../errors.ts'
import { type ImageKey, type Images, type OpenImage, pictureKey } from '../images/images.ts'
import { inParallel } from '../in-parallel.ts'
import type { JobText } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import { writeZip, type ZipEntry } from '../zip.ts'
import type { JobFields } from './render.ts'

/** Jobs read in one query. */
const JOBS_AT_ONCE = 200
/** Pictures read ahead of the reader: a bucket takes its time for each. */
const PICTURES_AHEAD = 4
/** A larger one is not held, but read twice: for its checksum, which stands before it, and to be sent. */
const MOST_HELD_BYTES = 4 * 1024 * 1024
/** Of the numbers before the names, at least. */
const DIGITS = 3

/** The pictures of a root, in their order, as one ZIP archive. An error on the way means that it must not be finished. */
export async function* makeArchive(
  store: Store,
  images: Images,
  projectId: string,
  { rootId, jobCount }: RootHead,
): AsyncGenerator<Uint8Array> {
  const request = (await store.browsing.requestsOf(projectId, [rootId])).get(rootId)
  const digits = Math.max(DIGITS, String(request?.counts.total ?? jobCount).length)
  const makeEntry = async ({ position, uuid, fields }: JobText): Promise<ZipEntry> => {
    const { url, meta } = JSON.parse(`{${fields}}`) as JobFields
    const name = numberedFileName({ position, name: url.name }, digits)
    return { name, modified: meta.created, ...(await readPicture(images, pictureKey(projectId, uuid))) }
  }
  yield* writeZip(inParallel(walkJobs(store, projectId, rootId), PICTURES_AHEAD, makeEntry))
}

async function* walkJobs(store: Store, projectId: string, rootId: string): AsyncGenerator<JobText> {
  for (let from = 0; ; ) {
    const jobs = await store.pageTexts(projectId, rootId, { from, limit: JOBS_AT_ONCE })
    yield* jobs
    if (jobs.length < JOBS_AT_ONCE) return
    from = (jobs.at(-1)?.position ?? 0) + 1
  }
}

async function readPicture(images: Images, key: ImageKey): Promise<Pick<ZipEntry, 'size' | 'crc' | 'read'>> {
  const image = await openPicture(images, key)
  const { size } = image
  const held: Uint8Array[] = []
  let crc = 0
  for await (const chunk of wholeOf(image)) {
    crc = crc32(chunk, crc)
    if (size <= MOST_HELD_BYTES) held.push(chunk)
  }
  const again = async function* () {
    yield* wholeOf(await openPicture(images, key))
  }
  return { size, crc, read: size <= MOST_HELD_BYTES ? () => held : again }
}

async function openPicture(images: Images, key: ImageKey): Promise<OpenImage> {
  const image = await images.open(key)
  if (!image) throw new AppError('storage_failed', `The picture ${key} is missing.`)
  return image
}

function wholeOf(image: OpenImage): AsyncIterable<Uint8Array> {
  return image.stream({ start: 0, end: image.size - 1 })
}
