import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that wait on the disk for their turn. Nothing of it is left behind, not even by a kill. */
export interface Spool {
  /** Answers how to get them back. */
  keep(bytes: Uint8Array): Promise<() => Promise<Buffer>>
  close(): Promise<void>
}

/** A file without a name, in the folder for temporary files. */
export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-'))
  const file = await open(join(folder, 'spool'), 'wx+', 0o600).finally(() =>
    rm(folder, { recursive: true, force: true }),
  )
  let end = 0
  return {
    async keep(bytes) {
      const start = end
      end += bytes.length
      for (let done = 0; done < bytes.length; ) {
        done += (await file.write(bytes, done, bytes.length - done, start + done)).bytesWritten
      }
      return () => readExactly(file, start, bytes.length)
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
