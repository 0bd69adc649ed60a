import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { numberedFileName } from '../../contract/picture-names.ts'
import type { RootStatus } from '../../contract/status.ts'
import { makeFolders } from '../../durable-folder.ts'
import type { CaptureDesk } from './desk.ts'

/** Saves the pictures. Returns their paths by uuid. */
export async function savePictures(
  desk: CaptureDesk,
  { rootId, urls }: RootStatus,
  folder: string,
): Promise<Map<string, string>> {
  await makeFolders(resolve(folder), 0o777)
  const digits = String(urls.length).length
  const saved = new Map<string, string>()
  for (const page of urls) {
    const { uuid } = page
    if (uuid === undefined) continue
    const path = join(folder, numberedFileName(page, digits))
    await pipeline(Readable.from(await desk.readPicture(rootId, uuid)), createWriteStream(path))
    saved.set(uuid, path)
  }
  return saved
}
