import { AppError } from '../../errors.ts'

const READ_ONLY: Readonly<Record<string, string>> = {
  EROFS: 'The file system that holds the pictures is read-only.',
  EACCES: 'The service has no right to write to the folder of pictures.',
  EPERM: 'The service has no right to write to the folder of pictures.',
}

/** Works on the folder of pictures, and translates its errors into AppErrors. */
export async function translating<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (isFull(error)) {
      throw new AppError('storage_full', 'The disk that holds the pictures is full.', { cause: error })
    }
    if (code === 'EROFS') throw new AppError('read_only', READ_ONLY[code], { cause: error })
    if (code === 'EMFILE' || code === 'ENFILE') {
      throw new AppError('unavailable', 'Too many files are open; try again.', { cause: error })
    }
    throw new AppError('storage_failed', `The folder of pictures failed: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** The same for something that writes: a missing right is one to write. */
export async function translatingWrites<T>(run: () => Promise<T>): Promise<T> {
  return await translating(async () => {
    try {
      return await run()
    } catch (error) {
      const message = READ_ONLY[(error as NodeJS.ErrnoException).code ?? '']
      throw message === undefined ? error : new AppError('read_only', message, { cause: error })
    }
  })
}

/** The same for a generator. */
export async function* translatingAll<T>(parts: AsyncGenerator<T>): AsyncGenerator<T> {
  for (;;) {
    const next = await translating(() => parts.next())
    if (next.done) return
    yield next.value
  }
}

export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}
