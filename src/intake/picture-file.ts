import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../errors.ts'
import type { PictureSource } from './submission.ts'

/** Errors that are mistakes in a path. All others are failures of the machine. */
const MISTAKES: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  ELOOP: 'is a link that leads nowhere',
  ENXIO: 'is not a file',
  ENAMETOOLONG: 'has too long a name',
  ERR_INVALID_ARG_VALUE: 'is not a path',
}

/** A picture in a file, named relative to `folder`. */
export function pictureFile(folder: string, path: string): PictureSource {
  return {
    label: path,
    async read(maxBytes) {
      if (isAbsolute(path)) throw new AppError('bad_request', 'must be a relative path')
      // Without O_NONBLOCK, opening a named pipe would wait for a writer.
      const flags = constants.O_RDONLY | constants.O_NONBLOCK
      await using file = await open(join(folder, path), flags).catch((error: NodeJS.ErrnoException) => {
        const mistake = MISTAKES[error.code ?? '']
        throw mistake === undefined ? error : new AppError('bad_request', mistake)
      })
      const stats = await file.stat()
      if (!stats.isFile()) throw new AppError('bad_request', 'is not a file')
      if (stats.size > maxBytes) throw new AppError('bad_request', `has more than ${maxBytes} bytes`)
      return await file.readFile()
    },
  }
}
