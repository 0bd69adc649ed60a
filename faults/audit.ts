import sharp from 'sharp'
import { readConfig } from '../src/config/config.ts'
import { openStorage, type Storage } from '../src/service/storage.ts'
import { pictureKey, previewKey } from '../test/support/store/image-keys.ts'
import type { Installation } from './worlds.ts'

/** Everything of a project, and what of it is incomplete. */
export interface Audit {
  readonly rootIds: ReadonlySet<string>
  readonly jobIds: ReadonlySet<string>
  /** The number of requested pages by state. */
  readonly pages: Readonly<Record<string, number>>
  readonly dangling: number
}

/** Reads everything of a project directly from its storage, every picture and preview to the last pixel. */
export async function audit({ env, projectId }: Installation, storage?: Storage): Promise<Audit> {
  const { store, images, close } = storage ?? (await openStorage(readConfig({ PORT: '0', ...env })))
  try {
    const heads = await store.pageRoots(projectId, { limit: 100_000 })
    const pages: Record<string, number> = {}
    const jobIds = new Set<string>()
    let dangling = 0
    for (const { rootId, jobCount } of heads) {
      const jobs = await store.jobsOf(projectId, [rootId])
      if (jobs.length !== jobCount) dangling++
      for (const { uuid } of jobs) {
        jobIds.add(uuid)
        for (const key of [pictureKey(projectId, uuid), previewKey(projectId, uuid)])
          if (!(await isWhole(images, key))) dangling++
      }
      for (const { state } of (await store.captures.findProgress(projectId, rootId))?.captures ?? [])
        pages[state] = (pages[state] ?? 0) + 1
    }
    return { rootIds: new Set(heads.map(({ rootId }) => rootId)), jobIds, pages, dangling }
  } finally {
    if (!storage) await close()
  }
}

/** Compares what is there with the acknowledged roots. */
export async function compare(installation: Installation, acknowledged: readonly string[]) {
  const { rootIds, pages, dangling } = await audit(installation)
  const found = {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !rootIds.has(id)).length,
    dangling,
    failedPages: pages['failed'] ?? 0,
  }
  return { found, done: pages['done'] ?? 0 }
}

async function isWhole(
  images: Storage['images'],
  key: Parameters<Storage['images']['open']>[0],
): Promise<boolean> {
  const image = await images.open(key)
  if (!image) return false
  try {
    const bytes = Buffer.concat(await image.stream({ start: 0, end: image.size - 1 }).toArray())
    await sharp(bytes).raw().toBuffer()
    return true
  } catch {
    return false
  }
}
