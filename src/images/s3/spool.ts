import { randomBytes } from 'node:crypto'
import { unlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that wait on the disk for their turn, and not in memory. A kill leaves none of them behind. */
export interface Spool {
  /** Answers how to get them back. */
  keep(bytes: Uint8Array): Promise<() => Promise<Buffer>>
  close(): Promise<void>
}

/** A file in the folder for temporary files that loses its name as soon as it is open. */
export async function openSpool(): Promise<Spool> {
  const path = join(tmpdir(), `proofsheet-${randomBytes(9).toString('base64url')}`)
  const file = await open(path, 'wx+', 0o600)
  unlinkSync(path)
  let end = 0
  return {
    async keep(bytes) {
      const { length } = bytes
      const start = end
      end += length
      for (let done = 0; done < length; ) {
        done += (await file.write(bytes, done, length - done, start + done)).bytesWritten
      }
      return () => readExactly(file, start, length)
    },
    close: () => file.close(),
  }
}

async function readExactly(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, start + done)
    if (bytesRead === 0) throw new Error('the file for temporary pictures was cut off')
    done += bytesRead
  }
  return bytes
}
