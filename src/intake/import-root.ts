import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { DEFAULT_BASEPATH, DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { AppError } from '../errors.ts'
import { type Files, filesOf, type ImageBatch, type Images } from '../images/images.ts'
import { readPicture } from '../picture/picture.ts'
import type { Job, NewJob, RootKey, Store } from '../store/store.ts'
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
  readonly limits: Pick<Config['limits'], 'jobsPerRoot' | 'pictureBytes' | 'picturePixels'>
  readonly clock: () => number
}

/** A job with the hashes of its pictures. */
type HashedJob = Awaited<ReturnType<typeof hashPictures>>

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
  const hashed = await Array.fromAsync(
    inParallel(submission.jobs, PICTURES_AT_ONCE, (job) => hashPictures(intake, job)),
  )
  const digest = digestOf(submission.created, hashed)
  const rootId = submission.rootId ?? idFrom(projectId, digest)
  if ((await intake.store.findRoot(projectId, rootId))?.digest === digest)
    return await prepareMending(intake, { projectId, rootId }, hashed)

  const created = submission.created ?? intake.clock()
  return await stageInBatch(intake.images, async (batch) => {
    const stage = async ([position, job]: [number, HashedJob]): Promise<NewJob> => {
      const uuid = job.uuid ?? idFrom(projectId, rootId, digest, String(position))
      const size = await stagePictures(intake, batch, job, filesOf(projectId, { picture: uuid }))
      onPicture()
      const { url, name, loadingTime = DEFAULT_LOADING_TIME, basepath = DEFAULT_BASEPATH } = job
      return { uuid, url, name, loadingTime, created: job.created ?? created, basepath, ...size }
    }
    const jobs = await Array.fromAsync(inParallel(hashed.entries(), PICTURES_AT_ONCE, stage))
    const root = { projectId, rootId, created, digest, jobs }
    return async () => ({
      rootId,
      outcome: await intake.store.addRoot(root, (before) => batch.publish({ before })),
    })
  })
}

/** Stages pictures in a batch. `stage` returns how they are added. */
async function stageInBatch(
  images: Images,
  stage: (batch: ImageBatch) => Promise<PreparedRoot['add']>,
): Promise<PreparedRoot> {
  const batch = await images.startBatch()
  const discard = () => batch.discard()
  try {
    const add = await stage(batch)
    return { add: () => add().finally(discard), discard }
  } catch (error) {
    await discard()
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

async function hashPictures(intake: Intake, job: SubmittedJob) {
  const image = sha256(await readBytes(intake, job.image))
  const preview = job.preview && sha256(await readBytes(intake, job.preview))
  return { ...job, hashes: { image, preview } }
}

async function stagePictures(
  intake: Intake,
  batch: Pick<ImageBatch, 'add'>,
  { hashes, ...job }: HashedJob,
  files: Files,
): Promise<{ width: number; height: number }> {
  const { bytes, width, height, preview } = await loadPicture(intake, job.image, hashes.image)
  if ((job.width ?? width) !== width || (job.height ?? height) !== height) {
    const stated = `${job.width ?? width} × ${job.height ?? height}`
    throw new AppError(
      'bad_request',
      `${job.image.label} is ${width} × ${height} pixels, not ${stated} as stated`,
    )
  }
  const given = job.preview && (await loadPicture(intake, job.preview, hashes.preview))
  await batch.add(files.picture, bytes)
  await batch.add(files.preview, given?.bytes ?? preview)
  return { width, height }
}

async function loadPicture(intake: Intake, source: PictureSource, hash: string | undefined) {
  const bytes = await readBytes(intake, source)
  if (sha256(bytes) !== hash) throw new AppError('bad_request', `${source.label} changed while it was read`)
  return await readPicture(bytes, intake.limits.picturePixels).catch(naming(source))
}

async function readBytes({ limits }: Intake, source: PictureSource): Promise<Buffer> {
  return await source.read(limits.pictureBytes).catch(naming(source))
}

function naming({ label }: PictureSource): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.code !== 'bad_request') throw error
    throw new AppError('bad_request', `${label} ${error.message}`, { cause: error })
  }
}

/** Covers everything that describes the root, given or by default. Ids and times made by the import are not part of it. */
function digestOf(rootCreated: number | undefined, hashed: readonly HashedJob[]): string {
  const jobs = hashed.map(({ hashes: { image, preview }, ...job }) => {
    const { uuid, created, url, name, width, height } = job
    const { loadingTime = DEFAULT_LOADING_TIME, basepath = DEFAULT_BASEPATH } = job
    return [uuid, created, url, name, loadingTime, basepath, width, height, image, preview]
  })
  return sha256(JSON.stringify([rootCreated, jobs]))
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
  return hash('sha256', data)
}

/** For a root that was imported before. Puts back pictures that are missing or damaged, and changes no other. */
async function prepareMending(
  intake: Intake,
  { projectId, rootId }: RootKey,
  hashed: readonly HashedJob[],
): Promise<PreparedRoot> {
  const { store, images } = intake
  const stored = await store.jobsOf(projectId, [rootId])
  const findGone = async ([position, job]: [number, Job]) => {
    const files = filesOf(projectId, job)
    const keys = Object.values(files)
    const conditions = await Promise.all(keys.map((key) => images.condition(key)))
    const gone = keys.filter((_, index) => conditions[index] !== 'whole')
    return { job: hashed[position] as HashedJob, files, gone }
  }
  const looked = await Array.fromAsync(inParallel(stored.entries(), PICTURES_AT_ONCE, findGone))
  const damaged = looked.filter(({ gone }) => gone.length > 0)
  if (damaged.length === 0)
    return { add: async () => ({ rootId, outcome: 'present' }), discard: async () => {} }

  return await stageInBatch(images, async (batch) => {
    const stageGone = async ({ job, files, gone }: (typeof damaged)[number]) => {
      const add: ImageBatch['add'] = async (key, bytes) => {
        if (gone.includes(key)) await batch.add(key, bytes)
      }
      await stagePictures(intake, { add }, job, files)
    }
    for await (const _ of inParallel(damaged, PICTURES_AT_ONCE, stageGone));
    return async () => {
      await batch.publish()
      return { rootId, outcome: 'mended' }
    }
  })
}
