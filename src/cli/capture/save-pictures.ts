import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RootStatus } from '../../contract/status.ts'
import type { CaptureDesk } from './desk.ts'

/** Answers where each one lies now, by its uuid. */
export async function savePictures(
  desk: CaptureDesk,
  { rootId, urls }: RootStatus,
  folder: string,
): Promise<Map<string, string>> {
  await mkdir(folder, { recursive: true })
  const digits = String(urls.length).length
  const saved = new Map<string, string>()
  for (const { position, name, uuid } of urls) {
    if (uuid === undefined) continue
    const path = join(folder, `${String(position + 1).padStart(digits, '0')}-${fileName(name)}.png`)
    await pipeline(Readable.from(await desk.readPicture(rootId, uuid)), createWriteStream(path))
    saved.set(uuid, path)
  }
  return saved
}

/** Nothing that a file system or a shell could take for something else. */
function fileName(name: string): string {
  return (
    name
      .normalize('NFKD')
      .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
      .slice(0, 80) || 'page'
  )
}
