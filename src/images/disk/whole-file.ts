import type { FileHandle } from 'node:fs/promises'

/** The last bytes of every PNG: a chunk without data. */
export const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')
const IEND = PNG_END.readUInt32BE(4)
const SIGNATURE_BYTES = 8
const CHUNK_HEAD_BYTES = 8
const BLOCK_BYTES = 64 * 1024

/** Whether a PNG is complete. One short read is enough, unless there are bytes after its end. */
export async function isWhole(file: FileHandle, size: number): Promise<boolean> {
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
