import { AppError } from '../../errors.ts'

const READ_ONLY: Readonly<Record<string, string>> = {
  EROFS: 'The file system that holds the pictures is read-only.',
  EACCES: 'The service has no right to write to the folder of pictures.',
  EPERM: 'The service has no right to write to the folder of pictures.',
}

function translate(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (isFull(error)) {
    return new AppError('storage_full', 'The disk that holds the pictures is full.', { cause: error })
  }
  if (code === 'EROFS') return new AppError('read_only', READ_ONLY[code], { cause: error })
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new AppError('unavailable', 'Too many files are open; try again.', { cause: error })
  }
  return new AppError('storage_failed', `The folder of pictures failed: ${message}`, { cause: error })
}

/** Works on the folder of pictures, and translates its errors into AppErrors. */
export async function translating<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw translate(error)
  }
}

/** The same for something that writes: a missing right is one to write. */
export async function translatingWrites<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const message = READ_ONLY[(error as NodeJS.ErrnoException).code ?? '']
    throw message === undefined ? translate(error) : new AppError('read_only', message, { cause: error })
  }
}

export async function* translatingAll<T>(parts: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* parts
  } catch (error) {
    throw translate(error)
  }
}

export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}
