import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../../errors.ts'
import { filesOf, type ImageBatch, type ImageKey, type Images } from '../../images/images.ts'
import type { Job } from '../../store/store.ts'
import { inParallel } from '../../work/limiter.ts'
import { PICTURES_AT_ONCE, type Transfer } from './transfer.ts'

export function keysOf(projectId: string, jobs: readonly Job[]): ImageKey[] {
  return jobs.flatMap((job) => Object.values(filesOf(projectId, job)))
}

/** Adds the pictures to the batch. Throws `conflict` if one is missing at the source. */
export async function stagePictures(
  { from }: Transfer,
  keys: readonly ImageKey[],
  batch: ImageBatch,
): Promise<void> {
  const stage = async (key: ImageKey) => {
    const image = await from.images.open(key)
    if (!image) throw await gone(from.images, key)
    await batch.add(key, await buffer(image.stream({ start: 0, end: image.size - 1 })))
  }
  for await (const _ of inParallel(keys, PICTURES_AT_ONCE, stage));
}

/**
 * The pictures that are missing or damaged at the target. All others are the same, byte for byte. Throws `conflict` if one
 * is missing at the source, or different: it is not known which of the two is right.
 */
export async function findMissing(
  { from, to }: Transfer,
  keys: readonly ImageKey[],
  onCompared: () => void,
): Promise<ImageKey[]> {
  const compare = async (key: ImageKey) => {
    const [here, there] = await Promise.all([hashImage(from.images, key), hashImage(to.images, key)])
    if (here === undefined) throw await gone(from.images, key)
    if (there === undefined) return [key]
    if (here !== there) throw new AppError('conflict', `its picture ${key} is a different one there`)
    onCompared()
    return []
  }
  return (await Array.fromAsync(inParallel(keys, PICTURES_AT_ONCE, compare))).flat()
}

async function gone(images: Images, key: ImageKey): Promise<AppError> {
  const state = (await images.condition(key)) === 'damaged' ? 'damaged' : 'missing'
  return new AppError('conflict', `its picture ${key} is ${state} at the source`)
}

async function hashImage(images: Images, key: ImageKey): Promise<string | undefined> {
  const image = await images.open(key)
  if (!image) return undefined
  const hash = createHash('sha256')
  for await (const chunk of image.stream({ start: 0, end: image.size - 1 })) hash.update(chunk)
  return hash.digest('hex')
}
