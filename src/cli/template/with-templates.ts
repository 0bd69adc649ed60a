import { pino } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Storage } from '../../storage.ts'
import { openStudio } from '../../studio.ts'
import type { Templates } from '../../templates/templates.ts'
import { withStorage } from '../storage.ts'

/** Templates of the configured storage. What is run is captured by the service, or by `proofsheet work`. */
export async function withTemplates<T>(
  work: (opened: { storage: Storage; config: Config; templates: Templates }) => Promise<T>,
): Promise<T> {
  return await withStorage(async (storage, config) => {
    const log = pino({ level: 'silent' })
    const none = { ...config, capture: { ...config.capture, concurrency: 0 } }
    const studio = await openStudio(none, storage, { log, clock: Date.now })
    try {
      return await work({ storage, config, templates: studio.templates })
    } finally {
      await studio.close()
    }
  })
}
