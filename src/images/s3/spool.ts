import { randomBytes } from 'node:crypto'
import { close, openSync, read, unlinkSync, write } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [closeFile, readFile, writeFile] = [promisify(close), promisify(read), promisify(write)]

/** Keeps bytes on the disk until they are uploaded, in a file that is deleted as soon as it is open: a kill leaves nothing. */
export function openSpool() {
  const path = join(tmpdir(), `proofsheet-${randomBytes(9).toString('base64url')}`)
  // Synchronous: a process that is killed in between would leave a file behind.
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let end = 0
  let closing: Promise<void> | undefined
  const under = new Set<Promise<unknown>>()
  // After closing, the file descriptor is used for other files. So no read may still be running.
  const use = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing) throw new Error('the file for temporary pictures is closed')
    const result = work()
    under.add(result)
    return await result.finally(() => under.delete(result))
  }
  // Made here, not beside the bytes: closures of one scope keep all its variables alive.
  const reader = (start: number, length: number) => () => use(() => readExactly(file, start, length))
  return {
    /** Stores bytes. Returns a function that reads them again. */
    async keep(bytes: Uint8Array): Promise<() => Promise<Buffer>> {
      const start = end
      end += bytes.length
      await use(() => writeExactly(file, bytes, start))
      return reader(start, bytes.length)
    },
    close(): Promise<void> {
      closing ??= Promise.allSettled(under).then(() => closeFile(file))
      return closing
    },
  }
}

export async function trySpool(): Promise<void> {
  const spool = openSpool()
  try {
    await spool.keep(Buffer.alloc(4_096))
  } finally {
    await spool.close()
  }
}

async function writeExactly(file: number, bytes: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await writeFile(file, bytes, done, bytes.length - done, start + done)).bytesWritten
  }
}

async function readExactly(file: number, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await readFile(file, bytes, done, length - done, start + done)
    if (bytesRead === 0) throw new Error('the file for temporary pictures was cut off')
    done += bytesRead
  }
  return bytes
}
