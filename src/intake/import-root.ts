import { createHash } from 'node:crypto'
import type { Limits } from '../config/limits.ts'
import { AppError } from '../errors.ts'
import { filesOf, type ImageBatch, type Images } from '../images/images.ts'
import { readPicture } from '../picture/picture.ts'
import type { NewJob, Store } from '../store/store.ts'
import { inParallel } from '../work/limiter.ts'
import {
  type Imported,
  PICTURES_AT_ONCE,
  type PictureSource,
  type PreparedRoot,
  type Submission,
  type SubmittedJob,
} from './submission.ts'

export interface Intake {
  readonly store: Store
  readonly images: Images
  readonly limits: Pick<Limits, 'jobsPerRoot' | 'pictureBytes' | 'picturePixels'>
  readonly clock: () => number
}

interface PictureHashes {
  readonly image: string
  readonly preview: string | undefined
}

/** Imports a root: all of it or nothing. Throws `bad_request`, `conflict`, or an error of the storage. */
export async function importRoot(
  intake: Intake,
  projectId: string,
  submission: Submission,
): Promise<Imported> {
  return await (await prepareRoot(intake, projectId, submission)).add()
}

/**
 * Does everything except adding it. Ids that were not given are made from the content, so the same submission a second
 * time gives `present` or `mended`. Throws `bad_request`, or an error of the storage.
 */
export async function prepareRoot(
  intake: Intake,
  projectId: string,
  submission: Submission,
  onPicture: () => void = () => {},
): Promise<PreparedRoot> {
  refuseMistakes(submission, intake.limits.jobsPerRoot)
  // Pictures are read twice, here only to be hashed: a repeated import ends after this, and no root is held in memory.
  const hashes = await Array.fromAsync(
    inParallel(submission.jobs, PICTURES_AT_ONCE, (job) => hashPictures(intake, job)),
  )
  const digest = digestOf(submission, hashes)
  const rootId = submission.rootId ?? idFrom(projectId, digest)
  if ((await intake.store.findRoot(projectId, rootId))?.digest === digest) {
    return await prepareMending(intake, { projectId, rootId }, async (batch, { position, picture }) => {
      const job = submission.jobs[position] as SubmittedJob
      await stagePictures(intake, batch, { projectId, picture, job, hashes: hashes[position] })
    })
  }

  const created = submission.created ?? intake.clock()
  const batch = await intake.images.startBatch()
  const stage = async ([position, job]: [number, SubmittedJob]): Promise<NewJob> => {
    const uuid = job.uuid ?? idFrom(projectId, rootId, digest, String(position))
    const pictures = { projectId, picture: uuid, job, hashes: hashes[position] }
    const size = await stagePictures(intake, batch, pictures)
    onPicture()
    const { url, name, loadingTime, basepath } = job
    return { uuid, url, name, loadingTime, created: job.created ?? created, basepath, ...size }
  }
  try {
    const jobs = await Array.fromAsync(inParallel(submission.jobs.entries(), PICTURES_AT_ONCE, stage))
    const root = { projectId, rootId, created, digest, jobs }
    return {
      add: async () => {
        try {
          return { rootId, outcome: await intake.store.addRoot(root, (before) => batch.publish({ before })) }
        } finally {
          await batch.discard()
        }
      },
      discard: () => batch.discard(),
    }
  } catch (error) {
    await batch.discard()
    throw error
  }
}

function refuseMistakes({ jobs }: Submission, limit: number): void {
  if (jobs.length > limit) {
    throw new AppError('bad_request', `has ${jobs.length} jobs, and a root has at most ${limit}: split it`)
  }
  const seen = new Set<string>()
  for (const { uuid } of jobs) {
    if (uuid === undefined) continue
    if (seen.has(uuid)) throw new AppError('bad_request', `names the uuid ${uuid} twice`)
    seen.add(uuid)
  }
}

async function hashPictures(intake: Intake, job: SubmittedJob): Promise<PictureHashes> {
  return {
    image: sha256(await readBytes(intake, job.image)),
    preview: job.preview && sha256(await readBytes(intake, job.preview)),
  }
}

async function stagePictures(
  intake: Intake,
  batch: Pick<ImageBatch, 'add'>,
  {
    projectId,
    picture,
    job,
    hashes,
  }: { projectId: string; picture: string; job: SubmittedJob; hashes: PictureHashes | undefined },
): Promise<{ width: number; height: number }> {
  const { bytes, width, height, preview } = await loadPicture(intake, job.image, hashes?.image)
  if ((job.width ?? width) !== width || (job.height ?? height) !== height) {
    const stated = `${job.width ?? width} × ${job.height ?? height}`
    throw new AppError(
      'bad_request',
      `${job.image.label} is ${width} × ${height} pixels, not ${stated} as stated`,
    )
  }
  const given = job.preview && (await loadPicture(intake, job.preview, hashes?.preview))
  const files = filesOf(projectId, { picture })
  await batch.add(files.picture, bytes)
  await batch.add(files.preview, given?.bytes ?? preview)
  return { width, height }
}

async function loadPicture(intake: Intake, source: PictureSource, hash: string | undefined) {
  const bytes = await readBytes(intake, source)
  if (sha256(bytes) !== hash) throw new AppError('bad_request', `${source.label} changed while it was read`)
  try {
    return await readPicture(bytes, intake.limits.picturePixels)
  } catch (error) {
    throw naming(source, error)
  }
}

async function readBytes({ limits }: Intake, source: PictureSource): Promise<Buffer> {
  try {
    return await source.read(limits.pictureBytes)
  } catch (error) {
    throw naming(source, error)
  }
}

function naming(source: PictureSource, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'bad_request') return error
  return new AppError('bad_request', `${source.label} ${error.message}`, { cause: error })
}

/** Covers everything that describes the root, given or by default. Ids and times made by the import are not part of it. */
function digestOf(submission: Submission, hashes: readonly PictureHashes[]): string {
  const jobs = submission.jobs.map((job, position) => {
    const { image, preview } = hashes[position] as PictureHashes
    const { uuid, created, url, name, loadingTime, basepath, width, height } = job
    return [uuid, created, url, name, loadingTime, basepath, width, height, image, preview]
  })
  return sha256(JSON.stringify([submission.created, jobs]))
}

/** A UUID made from its parts: equal parts, equal UUID (version 8: the application's own scheme). */
function idFrom(...parts: string[]): string {
  const hex = sha256(parts.join('\n'))
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Puts the pictures of a job of the submission under their keys. */
type Stage = (batch: Pick<ImageBatch, 'add'>, job: { position: number; picture: string }) => Promise<void>

/** For a root that was imported before. Puts back pictures that are missing or damaged, and changes no other. */
async function prepareMending(
  { store, images }: { store: Pick<Store, 'jobsOf'>; images: Images },
  { projectId, rootId }: { projectId: string; rootId: string },
  stage: Stage,
): Promise<PreparedRoot> {
  const pictures = (await store.jobsOf(projectId, [rootId])).map(({ picture }) => picture)
  const findGone = async ([position, picture]: [number, string]) => {
    const keys = Object.values(filesOf(projectId, { picture }))
    const conditions = await Promise.all(keys.map((key) => images.condition(key)))
    const gone = keys.filter((_, index) => conditions[index] !== 'whole')
    return { position, picture, gone }
  }
  const looked = await Array.fromAsync(inParallel(pictures.entries(), PICTURES_AT_ONCE, findGone))
  const damaged = looked.filter(({ gone }) => gone.length > 0)
  const answer = (outcome: Imported['outcome']): Imported => ({ rootId, outcome })
  if (damaged.length === 0) return { add: async () => answer('present'), discard: async () => {} }

  const batch = await images.startBatch()
  const stageGone = async ({ gone, ...job }: (typeof damaged)[number]) => {
    const add: ImageBatch['add'] = async (key, bytes) => {
      if (gone.includes(key)) await batch.add(key, bytes)
    }
    await stage({ add }, job)
  }
  try {
    for await (const _ of inParallel(damaged, PICTURES_AT_ONCE, stageGone));
  } catch (error) {
    await batch.discard()
    throw error
  }
  return {
    add: async () => {
      try {
        await batch.publish()
        return answer('mended')
      } finally {
        await batch.discard()
      }
    },
    discard: () => batch.discard(),
  }
}
