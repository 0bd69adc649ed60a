import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { openCapturing } from '../service/capturing.ts'
import { requireMatching } from '../service/check-storages.ts'
import type { Storage } from '../service/storage.ts'
import { openLog } from './log.ts'
import { counted, print, wrong } from './say.ts'
import { endInTime, nextSignal } from './signals.ts'
import { withStorage } from './storage.ts'

export function workCommand(): Command {
  return new Command('work')
    .description('Capture pages for a service, on the same machine or another one, until stopped.')
    .addHelpText('after', EXPLANATION)
    .action(work)
}

const EXPLANATION = `
The service captures by itself. With PostgreSQL and S3 any number of machines can help:

  DATABASE_URL=postgres://… IMAGES_URL=s3://… SECRET_KEYS=… npx proofsheet work

Each worker takes the next page as soon as it can. CAPTURE_CONCURRENCY says how many pages it captures at a time, and
CAPTURE_ALLOW which hosts they may reach. If a worker dies or freezes, another one takes over its pages within half a
minute. A service with CAPTURE_CONCURRENCY=0 leaves all pages to workers and needs no browser.

Stop it with Ctrl+C or SIGTERM: its unfinished pages go back to the queue.`

async function work(): Promise<void> {
  const capture = async (storage: Storage, config: Config) => {
    const { concurrency } = config.capture
    if (concurrency === 0) throw wrong('with CAPTURE_CONCURRENCY=0 a worker has nothing to do')
    const stopped = nextSignal()
    const log = await openLog(config.logLevel)
    for (const warning of storage.store.warnings) log.warn(warning)
    await storage.images.check()
    await requireMatching(storage, config)
    const capturing = await openCapturing(config, storage, { log, clock: Date.now })
    try {
      await capturing.ready()
      print(`Capturing, ${counted(concurrency, 'page')} at a time. Stop with Ctrl+C.`)
      log.info({ signal: await stopped }, 'stopping: unfinished captures go back to the queue')
      endInTime(config.limits.shutdownMs, log)
    } finally {
      await capturing.close()
    }
  }
  await withStorage(capture, { capturing: true })
}
