import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import type { Logger } from 'pino'
import { openService } from '../app.ts'
import { type Config, withoutPassword } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import { rootPath, rootsPath } from '../contract/paths.ts'
import { DEMO_PROJECT_ID } from '../demo/project-id.ts'
import { AppError } from '../errors.ts'
import type { Storage } from '../storage.ts'
import { openLog } from './log.ts'
import { createProgress, type Progress } from './progress.ts'
import { nextSignal } from './signals.ts'
import { withStorage } from './storage.ts'

const CHECK_MS = 3_000

export function serveCommand(): Command {
  return new Command('serve')
    .description('Serve the results until stopped with Ctrl+C or SIGTERM.')
    .option('--demo', 'first make a demo project if there is no project at all')
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
  sqlite:///absolute/path, and file: likewise. PostgreSQL's PGPASSWORD and its like are read, too;
  credentials for S3 come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role.`
}

async function serve({ demo }: { demo?: true }): Promise<void> {
  const work = async (storage: Storage, config: Config) => {
    const stopped = nextSignal()
    const log = await openLog(config.logLevel)
    await checkPictures(storage, log)
    if (demo && !(await captureDemo(storage, config, stopped))) return
    const service = await openService(config, storage, { log }).catch((error) =>
      explainListening(error, config),
    )
    keepYoungHeapSmall()
    try {
      say(await describeService(service.url, storage, config))
      log.info({ signal: await stopped }, 'stopping: requests under way may finish')
    } finally {
      await service.close()
    }
  }
  await withStorage(work, { serving: true })
}

/** Says so where it cannot be captured: the service is there all the same. False where it was stopped. */
async function captureDemo(storage: Storage, config: Config, stopped: Promise<unknown>): Promise<boolean> {
  // A service without a demo needs none of this.
  const [{ DEMO_LIMITS, makeDemo }, { openCamera }] = await Promise.all([
    import('../demo/demo.ts'),
    import('../studio.ts'),
  ])
  const stop = new AbortController()
  void stopped.then(() => stop.abort(new AppError('unavailable', 'stopped')))
  let progress: Progress | undefined
  try {
    await makeDemo(
      { ...storage, clock: Date.now },
      {
        openCamera: (places) => {
          const limits = { ...config.limits, ...DEMO_LIMITS }
          // The pages are ours: whether there is a sandbox does not matter yet.
          return openCamera({ ...config, limits }, { log: { warn: () => {} }, places })
        },
        begin(pages) {
          say('There is nothing to see yet: capturing a demo project, pages of a made-up site.')
          progress = createProgress({ title: 'Capturing', unit: 'pages', total: pages })
          return () => progress?.advance(1)
        },
        signal: stop.signal,
      },
    )
    return true
  } catch (error) {
    if (stop.signal.aborted) return false
    if (!(error instanceof AppError) || error.code !== 'no_browser') throw error
    say(`The demo project is not complete. ${error.message}\n`)
    return true
  } finally {
    progress?.finish()
  }
}

/**
 * V8 makes room for new objects as long as some of them outlive its looking: a long list from a database elsewhere
 * would triple the memory of the process for good, and be no faster by it (docs/performance.md).
 */
function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** A wrong bucket or key is better heard of now; one that is only away at the moment keeps nobody from reading. */
async function checkPictures({ images }: Storage, log: Logger): Promise<void> {
  const silent = sleep(CHECK_MS, undefined, { ref: false }).then(() => {
    throw new AppError('unavailable', `no answer within ${CHECK_MS} ms`)
  })
  await Promise.race([images.check(), silent]).catch((error) => {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    log.warn({ err: error }, 'the pictures cannot be reached at the moment; results are served all the same')
  })
  silent.catch(() => {})
}

function explainListening(error: NodeJS.ErrnoException, { host, port }: Config): never {
  const place = `${host}:${port}`
  if (error.code === 'EADDRINUSE') {
    throw new AppError(
      'unavailable',
      `${place} is in use by another program. Choose another port: PORT=${port + 1} npm start`,
    )
  }
  if (error.code === 'EACCES') throw new AppError('unavailable', `this user may not listen on ${place}`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    throw new AppError('unavailable', `HOST=${host} is not an address of this machine`)
  }
  throw error
}

async function describeService(url: string, { store }: Storage, config: Config): Promise<string> {
  const base = config.publicUrl ?? url
  const keys = config.auth === 'keys'
  const project = (await store.findProject(DEMO_PROJECT_ID)) ?? (await store.listProjects({ limit: 1 }))[0]
  const lines = [`proofsheet is ready at ${base}`, '']
  if (keys) {
    lines.push(`Every request needs an API key. Make one, in another terminal${sameSettings(config)}:`)
    lines.push(`  ${command(config)} key create --project ${project?.projectId ?? '<project id>'}`, '')
  }
  if (config.auth === 'open-to-everyone')
    lines.push('Anyone who reaches this address can read everything.', '')
  if (project) {
    const curl = keys ? "curl -H 'Authorization: Bearer <key>'" : 'curl'
    const [newest] = await store.pageRoots(project.projectId, { limit: 1 })
    lines.push(`All roots of a project:`, `  ${curl} ${base}${rootsPath(project.projectId)}`)
    if (newest) lines.push('One root:', `  ${curl} ${base}${rootPath(project.projectId, newest.rootId)}`)
    lines.push('')
  } else {
    lines.push(
      `There is no project yet. Make one${sameSettings(config)}:`,
      `  ${command(config)} project create --name "My site"`,
      '',
    )
  }
  lines.push(`API documentation: ${base}/docs`)
  lines.push(...describePlaces(config))
  lines.push('Stop with Ctrl+C.')
  return `${lines.join('\n')}\n`
}

function describePlaces({ dataDir, database, images }: Config): string[] {
  const places = [
    database.kind === 'postgres' && `  database: ${withoutPassword(database.url)}`,
    database.kind === 'sqlite' &&
      database.path !== join(dataDir, 'proofsheet.db') &&
      `  database: ${database.path}`,
    images.kind === 's3' && `  pictures: s3://${images.bucket}/${images.prefix}`,
    images.kind === 'folder' && images.path !== join(dataDir, 'images') && `  pictures: ${images.path}`,
  ].filter((place) => place !== false)
  return [places.length === 2 ? 'The data lies in' : `The data lies in ${dataDir}`, ...places]
}

/** Ready to paste: in another terminal the settings of this one are not there. */
function command({ dataDir, database }: Config): string {
  if (database.kind === 'postgres') return 'npx proofsheet'
  const elsewhere =
    database.path === join(dataDir, 'proofsheet.db') ? '' : `DATABASE_URL=sqlite://${database.path} `
  return `${dataDir === resolve('data') ? '' : `DATA_DIR=${dataDir} `}${elsewhere}npx proofsheet`
}

/** An address of PostgreSQL holds a password, which is not shown. */
function sameSettings({ database }: Config): string {
  return database.kind === 'postgres' ? ' with the same DATABASE_URL' : ''
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
