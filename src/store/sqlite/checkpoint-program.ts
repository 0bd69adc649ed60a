import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

// The thread of `checkpoints.ts`. It waits for no writer, and no writer waits for it.

/** Then the thread ends. */
const IDLE_MS = 5_000

const idle = setTimeout(() => parentPort?.close(), IDLE_MS)

parentPort?.on('message', () => {
  idle.refresh()
  try {
    // Opened each time: a connection that stays would keep the service from opening the database in another way.
    const database = new DatabaseSync(workerData)
    try {
      database.exec('pragma synchronous = full; pragma wal_checkpoint(passive)')
    } finally {
      database.close()
    }
  } catch {
    // The next commit tries it, too, and reports what is wrong.
  }
  parentPort?.postMessage(undefined)
})
