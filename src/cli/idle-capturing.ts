import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import { type Capturing, openCapturing } from '../service/capturing.ts'
import type { Storage } from '../service/storage.ts'
import { withStorage } from './storage.ts'

export interface IdleCapturing {
  readonly storage: Storage
  readonly config: Config
  readonly capturing: Capturing
}

/**
 * Accepts requests into the configured storage, but captures nothing and runs no schedules. A service or `proofsheet work` captures
 * the accepted pages.
 */
export async function withIdleCapturing<T>(work: (opened: IdleCapturing) => Promise<T>): Promise<T> {
  return await withStorage(async (storage, config) => {
    const log = pino({ level: 'silent' })
    const capturing = await openCapturing(config, storage, { log, clock: Date.now, takes: 'nothing' })
    try {
      return await work({ storage, config, capturing })
    } finally {
      await capturing.close()
    }
  })
}
