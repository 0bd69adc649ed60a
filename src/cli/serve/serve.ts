import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { Logger } from 'pino'
import { openCameraThread } from '../../camera/thread/camera-thread.ts'
import { type Config, withoutPassword } from '../../config/config.ts'
import { settings } from '../../config/settings.ts'
import { rootsPath } from '../../contract/paths.ts'
import { DEMO_PROJECT_ID } from '../../demo/visits.ts'
import { AppError } from '../../errors.ts'
import { requireMatching } from '../../service/check-storages.ts'
import { openService, type Service } from '../../service/service.ts'
import type { Storage } from '../../service/storage.ts'
import { openLog } from '../log.ts'
import { print } from '../say.ts'
import { endInTime, nextSignal } from '../signals.ts'
import { withStorage } from '../storage.ts'
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
        print(await describeService(service.url, storage, config, await findMissing(service)))
        if (demo && withDemo) demo.fill(service.capturing)
        void lookForDamage(storage, log, stopping.signal)
        log.info({ signal: await stopped }, 'stopping: waiting for open requests to finish')
        endInTime(config.limits.shutdownMs, log)
        if (demo) demo.stop()
      } finally {
        stopping.abort()
        await service.close()
      }
      const rest = demo ? await demo.describeRest(config.dataDir) : ''
      if (rest !== '') print(rest)
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

/** `noBrowser`: why this process cannot capture, and what to do about it. */
async function describeService(
  url: string,
  { store }: Storage,
  config: Config,
  noBrowser: string | undefined,
): Promise<string> {
  const base = config.publicUrl ?? url
  const keys = config.auth === 'keys'
  const projects = await store.listProjects({ limit: 2 })
  const project = (await store.findProject(DEMO_PROJECT_ID)) ?? projects[0]
  const { places, command, sameSettings } = describePlaces(config)
  const lines = [`proofsheet is ready at ${base}`, 'Open that address in a browser to see it.', '']
  if (keys) {
    lines.push(`It requires an API key. Create one, in another terminal${sameSettings}:`)
    lines.push(`  ${command} key create --project ${project?.projectId ?? '<project id>'}`, '')
  }
  if (config.auth === 'open-to-everyone') {
    lines.push('Anyone who reaches this address can read everything.', '')
  }
  if (!project) {
    lines.push(
      `There is no project yet. Create one${sameSettings}:`,
      `  ${command} project create --name "My site"`,
      '',
    )
  } else {
    const which = projects.length > 1 ? ` --project ${project.projectId}` : ''
    const capture = `${command} capture${which}`
    lines.push(`Capture a page of your own, in another terminal${sameSettings}:`)
    if (noBrowser !== undefined) lines.push(`  ${noBrowser}`)
    lines.push(
      `  ${capture} https://example.com/`,
      `  CAPTURE_ALLOW=127.0.0.1:3000 ${capture} http://127.0.0.1:3000/   (one on this machine)`,
      '',
      `Or read it with a program (${base}/docs):`,
      `  ${keys ? "curl -H 'Authorization: Bearer <key>'" : 'curl'} ${base}${rootsPath(project.projectId)}`,
      '',
    )
  }
  lines.push(...places, 'Stop with Ctrl+C.')
  return `${lines.join('\n')}\n`
}

/** Where the data is, and a command that finds it there, ready to paste into another terminal. */
function describePlaces({ dataDir, database, images }: Config) {
  const lines: string[] = []
  const settings = dataDir === resolve('data') ? [] : [`DATA_DIR=${quoteForShell(dataDir)}`]
  /** Settings that are not shown, because they may contain passwords. */
  const hidden: string[] = []
  if (database.kind === 'postgres') {
    lines.push(`  database: ${withoutPassword(database.url)}`)
    hidden.push('DATABASE_URL')
  } else if (database.path !== join(dataDir, 'proofsheet.db')) {
    lines.push(`  database: ${database.path}`)
    settings.push(`DATABASE_URL=${quoteForShell(`sqlite://${database.path}`)}`)
  }
  if (images.kind === 's3') {
    lines.push(`  pictures: s3://${images.bucket}/${images.prefix}`)
    hidden.push('IMAGES_URL')
  } else if (images.path !== join(dataDir, 'images')) {
    lines.push(`  pictures: ${images.path}`)
    settings.push(`IMAGES_URL=${quoteForShell(`file://${images.path}`)}`)
  }
  return {
    places: [lines.length === 2 ? 'The data is in' : `The data is in ${dataDir}`, ...lines],
    command: [...settings, 'npx proofsheet'].join(' '),
    sameSettings: hidden.length > 0 ? ` with the same ${hidden.join(' and ')}` : '',
  }
}

function quoteForShell(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
