import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { Storage } from '../storage.ts'
import { openStudio, type Studio } from '../studio.ts'
import { withStorage } from './storage.ts'

export interface IdleStudio {
  readonly storage: Storage
  readonly config: Config
  readonly studio: Studio
}

/** A studio on the configured storage that captures nothing. A service or `proofsheet work` captures what it accepts. */
export async function withIdleStudio<T>(work: (opened: IdleStudio) => Promise<T>): Promise<T> {
  return await withStorage(async (storage, config) => {
    const log = pino({ level: 'silent' })
    const none = { ...config, capture: { ...config.capture, concurrency: 0 } }
    const studio = await openStudio(none, storage, { log, clock: Date.now })
    try {
      return await work({ storage, config, studio })
    } finally {
      await studio.close()
    }
  })
}
