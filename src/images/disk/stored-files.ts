import { lstat, opendir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../files/durable-folder.ts'
import { unlessMissing } from '../../files/unless-missing.ts'
import { type ImageKey, parseName, type StoredImage } from '../images.ts'

/** Files checked at a time, so that other reads do not wait. */
const FILES_AT_ONCE = 100

/** See `Images.walk`. */
export async function* walkFiles(root: string, projectId: string): AsyncGenerator<StoredImage[]> {
  const folder = join(root, projectId)
  if (!(await lstat(folder).catch(unlessMissing))?.isDirectory()) return
  const look = async (key: ImageKey): Promise<StoredImage[]> => {
    const stats = await lstat(join(root, key)).catch(unlessMissing)
    return stats?.isFile() ? [{ key, modified: stats.mtimeMs }] : []
  }
  let keys: ImageKey[] = []
  for await (const { name } of await opendir(folder)) {
    const key = parseName(projectId, name)
    if (key) keys.push(key)
    if (keys.length < FILES_AT_ONCE) continue
    yield (await Promise.all(keys.map(look))).flat()
    keys = []
  }
  yield (await Promise.all(keys.map(look))).flat()
}

/** See `Images.remove`. */
export async function removeFiles(
  root: string,
  keys: readonly ImageKey[],
  before?: () => void,
): Promise<void> {
  for (const key of keys) {
    before?.()
    await rm(join(root, key), { force: true })
  }
  for (const folder of new Set(keys.map(dirname))) await syncFolder(join(root, folder)).catch(unlessMissing)
}
