import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Condition, ImageKey, OpenImage } from '../images.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
/** The last bytes of every PNG: a chunk without data. */
export const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')
const IEND = PNG_END.readUInt32BE(4)
const SIGNATURE_BYTES = 8
const CHUNK_HEAD_BYTES = 8
const BLOCK_BYTES = 64 * 1024

/** Files that were found complete, by size and time. While these do not change, the end is not read again. */
export type KnownWhole = Map<ImageKey, string>
/** How many are kept, at about 200 bytes each. */
const MOST_KNOWN = 10_000

export async function openImage(
  root: string,
  key: ImageKey,
  known: KnownWhole,
): Promise<OpenImage | undefined> {
  const opened = await openWhole(root, key, known)
  return typeof opened === 'string' ? undefined : opened
}

export async function conditionOf(root: string, key: ImageKey): Promise<Condition> {
  const opened = await openWhole(root, key, new Map())
  if (typeof opened === 'string') return opened
  await opened.close()
  return 'whole'
}

async function openWhole(
  root: string,
  key: ImageKey,
  known: KnownWhole,
): Promise<OpenImage | 'missing' | 'damaged'> {
  const path = join(root, key)
  let file: FileHandle
  try {
    // O_NOFOLLOW protects only the last step of the path, so the project's folder is checked separately.
    if (!(await lstat(dirname(path))).isDirectory()) return 'missing'
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['ENOENT', 'ENOTDIR'].includes(code)) return 'missing'
    // A symbolic link, or a pipe without a writer.
    if (['ELOOP', 'ENXIO'].includes(code)) return 'damaged'
    throw error
  }
  try {
    const stats = await file.stat()
    const { size, mtime } = stats
    const etag = `"${size.toString(36)}-${Math.trunc(stats.mtimeMs).toString(36)}"`
    if (stats.isFile() && (known.get(key) === etag || (await isWhole(file, size)))) {
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(key, etag)
      return {
        ...{ size, etag, modified: mtime },
        stream: ({ start, end }) => file.createReadStream({ start, end }),
        close: () => file.close(),
      }
    }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return 'damaged'
}

/** Whether a PNG is complete. One short read is enough, unless there are bytes after its end. */
async function isWhole(file: FileHandle, size: number): Promise<boolean> {
  if (size < PNG_END.length) return false
  const end = Buffer.alloc(PNG_END.length)
  await file.read(end, 0, end.length, size - end.length)
  return end.equals(PNG_END) || (await endsEarlier(file, size))
}

/** A picture may have bytes after its end and is kept as it came. Then its chunks are followed to the end. */
async function endsEarlier(file: FileHandle, size: number): Promise<boolean> {
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let at = SIGNATURE_BYTES; at < size; ) {
    const { bytesRead } = await file.read(block, 0, block.length, at)
    let offset = 0
    while (offset + CHUNK_HEAD_BYTES <= bytesRead) {
      const type = block.readUInt32BE(offset + 4)
      offset += PNG_END.length + block.readUInt32BE(offset)
      if (type === IEND) return at + offset <= size
    }
    if (offset === 0) return false
    at += offset
  }
  return false
}
