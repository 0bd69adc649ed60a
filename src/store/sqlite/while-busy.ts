import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'

/** How long a writer waits for the transaction of another process. Readers never wait in WAL mode. */
export const BUSY_TIMEOUT_MS = 5_000
/** SQLite would block the thread while it waits, and with it every request. So it does not wait, and is asked again. */
const RETRY_MS = 10

/** Tries again and again. Other work runs in between. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      // A closed database is also `unavailable`, but stays so.
      const busy =
        error instanceof AppError &&
        error.code === 'unavailable' &&
        (error.cause as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR'
      if (!busy || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}
