import { filesOf, type ImageBatch, type Images } from '../images/images.ts'
import type { Store } from '../store/store.ts'
import { inParallel } from '../work/in-parallel.ts'
import { type Imported, PICTURES_AT_ONCE, type PreparedRoot } from './submission.ts'

/** Puts the pictures of a job of the submission under their keys. */
type Stage = (batch: Pick<ImageBatch, 'add'>, job: { position: number; picture: string }) => Promise<void>

/** For a root that was imported before. Puts back pictures that are missing or damaged, and changes no other. */
export async function prepareMending(
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
