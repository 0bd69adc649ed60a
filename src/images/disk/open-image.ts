import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Condition, ImageKey, OpenImage } from '../images.ts'
import { isWhole } from './whole-file.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

export async function openImage(root: string, key: ImageKey): Promise<OpenImage | undefined> {
  const opened = await openWhole(root, key)
  if (typeof opened === 'string') return undefined
  const { file, size, modified } = opened
  return {
    size,
    etag: `"${size.toString(36)}-${Math.trunc(modified.getTime()).toString(36)}"`,
    modified,
    stream: ({ start, end }) => file.createReadStream({ start, end }),
    close: () => file.close(),
  }
}

export async function conditionOf(root: string, key: ImageKey): Promise<Condition> {
  const opened = await openWhole(root, key)
  if (typeof opened === 'string') return opened
  await opened.file.close()
  return 'whole'
}

interface WholeFile {
  readonly file: FileHandle
  readonly size: number
  readonly modified: Date
}

async function openWhole(root: string, key: ImageKey): Promise<WholeFile | 'missing' | 'damaged'> {
  const path = join(root, key)
  let file: FileHandle
  try {
    // O_NOFOLLOW guards the last step of the path only, so the project's folder is looked at by itself.
    if (!(await lstat(dirname(path))).isDirectory()) return 'missing'
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['ENOENT', 'ENOTDIR'].includes(code)) return 'missing'
    // A link, or a pipe that nobody writes to.
    if (['ELOOP', 'ENXIO'].includes(code)) return 'damaged'
    throw error
  }
  try {
    const stats = await file.stat()
    if (stats.isFile() && (await isWhole(file, stats.size)))
      return { file, size: stats.size, modified: stats.mtime }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return 'damaged'
}
