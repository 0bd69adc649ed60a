import { isDeepStrictEqual } from 'node:util'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { databaseLocation, imagesLocation } from '../config/locations.ts'
import { AppError } from '../errors.ts'
import { requireFit } from '../fit.ts'
import { openStorage } from '../storage.ts'
import { copyAll } from '../transfer/copy.ts'
import { patiently, type Transfer, type TransferHooks } from '../transfer/transfer.ts'
import { verifyAll } from '../transfer/verify.ts'
import type { ExitCode } from './exit-code.ts'
import { createProgress } from './progress.ts'
import { abortOnSignal } from './signals.ts'
import { withStorage } from './storage.ts'
import { counted, formatTable, printable } from './table.ts'

export function copyCommand(finish: (code: ExitCode) => void): Command {
  return new Command('copy')
    .description('Copy everything to another database and image store. Works while the service runs.')
    .requiredOption('--to-database <address>', 'as for DATABASE_URL')
    .option('--to-images <address>', 'as for IMAGES_URL; without it pictures stay where they are')
    .addHelpText('after', EXPLANATION)
    .action(async (options: CopyOptions) => finish(await runCopy(options)))
}

const EXPLANATION = `
From where the settings say (DATA_DIR, DATABASE_URL, IMAGES_URL) to where the options say:

  PGPASSWORD=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… npx proofsheet copy \\
    --to-database postgres://proofsheet@db.internal/proofsheet --to-images 's3://shots?region=eu-central-1'

Projects, keys (their hashes), roots and pictures keep their ids, times and order, so that afterwards both answer
the same but for the addresses. Nothing is taken away from where it was. A root arrives with all its pictures or not
at all. Then everything is read back: every project, key and row is compared, and every picture by its SHA-256.
Pictures that are missing or damaged there are copied; what is different is reported and left alone.

Running it again copies what is new and verifies everything, so a run that was interrupted is simply repeated. What
is added while it runs comes along, but for what arrives at the very end: run it once more when nothing is added.

Where pictures stay in their place, both databases point at them: the place is marked (.shared), and nothing in it is
taken for left behind until you remove the mark, once only one of the databases is in use.

A password in an option can be seen by other users of the machine: PGPASSWORD keeps it to itself.

Exit code: 0 everything is there and the same, 1 something is not, 2 a mistake in the command.`

interface CopyOptions {
  readonly toDatabase: string
  readonly toImages?: string
}

async function runCopy({ toDatabase, toImages }: CopyOptions): Promise<ExitCode> {
  const database = parse('--to-database', toDatabase, databaseLocation)
  const images = toImages === undefined ? undefined : parse('--to-images', toImages, imagesLocation)
  return await withStorage(async (from, config) => {
    const target: Config = { ...config, database, images: images ?? config.images }
    const sameImages = isDeepStrictEqual(target.images, config.images)
    if (sameImages && isDeepStrictEqual(target.database, config.database)) {
      throw new AppError('bad_request', 'that is where to copy from (DATABASE_URL, IMAGES_URL, DATA_DIR)')
    }
    if ((await from.store.listProjects({ limit: 1 })).length === 0) {
      throw new AppError(
        'bad_request',
        'there is nothing to copy: do DATA_DIR, DATABASE_URL and IMAGES_URL name it?',
      )
    }
    const to = await openStorage(target)
    try {
      await to.images.check()
      const begin = () => requireFit(to, target, { isCopy: true })
      return await transferAll({ from, to, rowsOnly: sameImages }, begin)
    } finally {
      await to.close()
    }
  })
}

/** Not by the option itself: its error would repeat the address, and with it a password. */
function parse<T>(option: string, address: string, read: (text: string) => T): T {
  try {
    return read(address)
  } catch (error) {
    throw new AppError('bad_request', `${option} ${(error as Error).message}`)
  }
}

async function transferAll(transfer: Transfer, begin: () => Promise<void>): Promise<ExitCode> {
  const problems = new Set<string>()
  let interrupt: (write: () => void) => void = (write) => write()
  const signal = abortOnSignal((write) => interrupt(write))
  const pass = async <T>(title: string, run: (hooks: TransferHooks) => Promise<T>): Promise<T> => {
    const projects = await patiently(() => transfer.from.store.countProjects(), { signal })
    const total = projects.reduce((sum, { jobs }) => sum + 2 * jobs, 0)
    const progress = createProgress({ title, unit: 'files', total })
    interrupt = progress.interrupt
    const onProblem = (where: string, reason: string) => {
      // Both passes may come upon it.
      if (!problems.has(where)) progress.interrupt(() => say(`${where}: ${printable(reason)}`))
      problems.add(where)
    }
    try {
      const result = await run({ signal, onProblem, onFiles: progress.advance, onPresent: progress.skip })
      if (signal.aborted) throw new AppError('unavailable', 'interrupted')
      return result
    } catch (error) {
      progress.interrupt(() => say('Stopped. What was copied stays; run the same command again to go on.'))
      throw error
    } finally {
      progress.finish()
    }
  }

  const copied = await pass('Copying', async (hooks) => {
    await patiently(begin, hooks)
    return await copyAll(transfer, hooks)
  })
  const was = copied.present > 0 ? `, ${counted(copied.present, 'root')} already there` : ''
  say(`Copied: ${counted(copied.roots, 'root')} with ${counted(copied.pictures, 'picture')}${was}.`)
  const { roots, pictures, mended } = await pass('Verifying', (hooks) => verifyAll(transfer, hooks))
  const late = mended > 0 ? `; ${counted(mended, 'file')} had been missing or damaged` : ''
  say(`Verified: ${counted(roots, 'root')} with ${counted(pictures, 'picture')} are the same${late}.`)
  const complete = await patiently(() => compareCounts(transfer), { signal })
  if (problems.size > 0) say(`${counted(problems.size, 'problem')}: see above.`)
  else if (!complete) say('More was added meanwhile: run the same command again.')
  return problems.size > 0 || !complete ? 1 : 0
}

/** Prints both ends side by side; false where the copy holds less. */
async function compareCounts({ from, to }: Transfer): Promise<boolean> {
  const there = new Map((await to.store.countProjects()).map((project) => [project.projectId, project]))
  const rows = (await from.store.countProjects()).map((here) => {
    const { roots = -1, jobs = -1 } = there.get(here.projectId) ?? {}
    return { here, copy: { roots, jobs }, less: roots < here.roots || jobs < here.jobs }
  })
  const lines = rows.map(({ here, copy, less }) => [
    here.projectId,
    `${here.roots} / ${Math.max(0, copy.roots)}`,
    `${here.jobs} / ${Math.max(0, copy.jobs)}`,
    less ? 'not all there' : 'all there',
    printable(here.name),
  ])
  process.stdout.write(
    `${formatTable(['PROJECT', 'ROOTS HERE / THERE', 'PICTURES HERE / THERE', '', 'NAME'], lines)}\n`,
  )
  return !rows.some(({ less }) => less)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
