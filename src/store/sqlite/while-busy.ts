import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'

/** How long a writer waits for another process's transaction. Readers never wait in WAL mode. */
export const BUSY_TIMEOUT_MS = 5_000
/** SQLite would wait by blocking the thread, and with it every request; so it is not to wait, and we ask again. */
const RETRY_MS = 10

/** Asks again and again, and lets others work in between. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      // One that was closed is unavailable, too, and will be for good.
      const busy =
        error instanceof AppError &&
        error.code === 'unavailable' &&
        (error.cause as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR'
      if (!busy || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}
