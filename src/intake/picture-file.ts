import { open } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../errors.ts'
import type { PictureSource } from './submission.ts'

/** A picture in a file, named relative to `folder`. */
export function pictureFile(folder: string, path: string): PictureSource {
  return {
    label: path,
    async read(maxBytes) {
      if (isAbsolute(path)) throw new AppError('bad_request', 'must be a relative path')
      const file = await open(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
        throw new AppError(
          'bad_request',
          error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`,
        )
      })
      try {
        const stats = await file.stat()
        if (!stats.isFile()) throw new AppError('bad_request', 'is not a file')
        if (stats.size > maxBytes) throw new AppError('bad_request', `has more than ${maxBytes} bytes`)
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
  }
}
