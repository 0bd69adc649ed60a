import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { Logger } from 'pino'
import { openCameraThread } from '../../camera/thread/camera-thread.ts'
import type { Config } from '../../config/config.ts'
import { settings } from '../../config/settings.ts'
import { DEMO_PROJECT_ID } from '../../demo/visits.ts'
import { AppError } from '../../errors.ts'
import { requireMatching } from '../../service/check-storages.ts'
import { openService, type Service } from '../../service/service.ts'
import type { Storage } from '../../service/storage.ts'
import { openLog } from '../log.ts'
import { endInTime, nextSignal } from '../signals.ts'
import { withStorage } from '../storage.ts'
import { describeService } from './describe-service.ts'
import { keepYoungHeap } from './young-heap.ts'

const CHECK_MS = 3_000
const UNWRITTEN = 'could not write the id of the store; the next start tries again'

export function serveCommand(): Command {
  return new Command('serve')
    .description('Serve the results until stopped with Ctrl+C or SIGTERM.')
    .option('--demo', 'add a demo project if there are no projects')
    .addHelpText('after', () => `\nSettings, from the environment:\n\n${describeSettings()}`)
    .action(serve)
}

function describeSettings(): string {
  const plain = (text: string) => text.replaceAll('`', '')
  const entries = Object.entries(settings).map(([name, { default: preset, example, help }]) => {
    const shown = plain(typeof preset === 'string' ? preset : preset.words)
    const lines = plain(help).replace(/(.{1,94})(?: |$)/g, '\n      $1')
    return `  ${name}  default: ${shown}; for example ${name}=${example}${lines}`
  })
  return `${entries.join('\n')}

  Durations are written 500ms, 30s, 15m, 12h or 2d. Paths are sqlite:relative/path or
  sqlite:///absolute/path, and file: in the same way. PGPASSWORD and other variables of PostgreSQL work;
  credentials for S3 come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role.`
}

async function serve({ demo: withDemo }: { demo?: true }): Promise<void> {
  keepYoungHeap()
  const work = async (storage: Storage, config: Config) => {
    const stopped = nextSignal()
    const stopping = new AbortController()
    const log = await openLog(config.logLevel)
    if (await arePicturesThere(storage, log))
      await requireMatching(storage, config, { onUnwritten: (err) => log.warn({ err }, UNWRITTEN) })
    // Also without --demo: there may be pages of the demo left to capture.
    const has = withDemo || (await storage.store.findProject(DEMO_PROJECT_ID))
    const demo =
      has && (await (await import('./demo.ts')).openDemo(storage, { log, make: withDemo === true }))
    try {
      const fixedAddresses = demo ? demo.fixedAddresses : undefined
      const camera = openCameraThread({ log, fixedAddresses })
      const service = await openService(config, storage, { log, camera }).catch((error) =>
        explainListening(error, config),
      )
      try {
        say(await describeService(service.url, { storage, config, noBrowser: await findMissing(service) }))
        if (demo && withDemo) demo.fill(service.capturing, say)
        void lookForDamage(storage, log, stopping.signal)
        log.info({ signal: await stopped }, 'stopping: waiting for open requests to finish')
        endInTime(config.limits.shutdownMs, log)
        if (demo) await demo.stop()
      } finally {
        stopping.abort()
        await service.close()
      }
      if (demo) say(await demo.describeRest(config.dataDir))
    } finally {
      if (demo) await demo.close()
    }
  }
  await withStorage(work, { serving: true })
}

/** Why nothing can be captured, and what to do about it. Undefined if pages can be captured. */
async function findMissing({ capturing }: Service): Promise<string | undefined> {
  return await capturing.findBrowser().then(
    () => undefined,
    (error) => {
      if (error instanceof AppError && error.code === 'no_browser') return error.message
      throw error
    },
  )
}

/** A wrong bucket or key is an error at the start. If the pictures are only unreachable now, results are still served. */
async function arePicturesThere({ images }: Storage, log: Logger): Promise<boolean> {
  const silent = sleep(CHECK_MS, undefined, { ref: false }).then(() => {
    throw new AppError('unavailable', `no answer within ${CHECK_MS} ms`)
  })
  silent.catch(() => {})
  try {
    await Promise.race([images.check(), silent])
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    log.warn({ err: error }, 'the pictures cannot be reached now; results are still served')
    return false
  }
}

async function lookForDamage({ store }: Storage, log: Logger, signal: AbortSignal): Promise<void> {
  const damage = await store.findDamage(signal)
  if (damage !== undefined)
    log.error({ damage }, 'the database is damaged: restore a backup (docs/operating.md)')
}

function explainListening(error: NodeJS.ErrnoException, { host, port }: Config): never {
  const address = `${host}:${port}`
  if (error.code === 'EADDRINUSE') {
    throw new AppError(
      'unavailable',
      `${address} is in use by another program. Choose another port: PORT=${port + 1}`,
    )
  }
  if (error.code === 'EACCES') throw new AppError('unavailable', `this user may not listen on ${address}`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    throw new AppError('unavailable', `HOST=${host} is not an address of this machine`)
  }
  throw error
}

function say(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`)
}
