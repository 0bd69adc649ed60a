import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pictureFileName } from '../../contract/picture-names.ts'
import type { PageStatus, RootStatus } from '../../contract/status.ts'
import { makeFolders } from '../../files/durable-folder.ts'
import type { CaptureDesk } from './desk.ts'
import { ownWindow } from './own-window.ts'

/** Saves the pictures. Returns their paths by uuid. */
export async function savePictures(
  desk: CaptureDesk,
  statuses: readonly RootStatus[],
  folder: string,
): Promise<Map<string, string>> {
  await makeFolders(resolve(folder), 0o777)
  const saved = new Map<string, string>()
  const nameNext = createNames()
  for (const { rootId, urls } of statuses) {
    for (const page of urls) {
      const path = join(folder, nameNext(page))
      const { uuid } = page
      if (uuid === undefined) continue
      await pipeline(Readable.from(await desk.readPicture(rootId, uuid)), createWriteStream(path))
      saved.set(uuid, path)
    }
  }
  return saved
}

/**
 * The file name of one page after the other. It does not depend on how many pages there are, nor on which of them failed:
 * `Home.png`, `Home-390x844.png` for a page with a window of its own, and `Home-2.png` for a second page of that name.
 */
export function createNames(): (page: Pick<PageStatus, 'name' | 'options'>) => string {
  const used = new Set<string>()
  return (page) => {
    const window = ownWindow(page)
    for (let number = 1; ; number++) {
      const name = pictureFileName(page.name, `${window && `-${window}`}${number > 1 ? `-${number}` : ''}`)
      // For some file systems, Home and home are the same.
      if (used.has(name.toLowerCase())) continue
      used.add(name.toLowerCase())
      return name
    }
  }
}
