import { isDeepStrictEqual } from 'node:util'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { databaseLocation, imagesLocation } from '../config/locations.ts'
import { AppError } from '../errors.ts'
import { openStorage } from '../storage.ts'
import { copyAll } from '../transfer/copy.ts'
import type { Transfer, Watch } from '../transfer/transfer.ts'
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
    .option('--no-verify', 'do not read everything back afterwards')
    .addHelpText('after', EXPLANATION)
    .action(async (options: CopyOptions) => finish(await runCopy(options)))
}

const EXPLANATION = `
From where the settings say (DATA_DIR, DATABASE_URL, IMAGES_URL) to where the options say:

  PGPASSWORD=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… npx proofsheet copy \\
    --to-database postgres://proofsheet@db.internal/proofsheet --to-images 's3://shots?region=eu-central-1'

Projects, keys (their hashes), roots and pictures keep their ids, times and order, so that afterwards both answer
the same but for the addresses. Nothing is taken away from where it was. A root arrives with all its pictures or not
at all. Running it again copies only what is new, so a run that was interrupted is simply repeated; the last one is
best run when nothing is added any more. Then everything is read back: every row is compared, and every picture by
its SHA-256. A picture that is missing or different there is copied once more.

A password in an option can be seen by other users of the machine: PGPASSWORD keeps it to itself.

Exit code: 0 everything is there and the same, 1 something is not, 2 a mistake in the command.`

interface CopyOptions {
  readonly toDatabase: string
  readonly toImages?: string
  readonly verify: boolean
}

async function runCopy({ toDatabase, toImages, verify }: CopyOptions): Promise<ExitCode> {
  const database = parse('--to-database', toDatabase, databaseLocation)
  const images = toImages === undefined ? undefined : parse('--to-images', toImages, imagesLocation)
  return await withStorage(async (from, config) => {
    const target: Config = { ...config, database, images: images ?? config.images }
    if (isDeepStrictEqual(target.database, config.database)) {
      throw new AppError('bad_request', 'that database is the one to copy from (DATABASE_URL, DATA_DIR)')
    }
    const to = await openStorage(target)
    try {
      const rowsOnly = isDeepStrictEqual(target.images, config.images)
      return await transferAll({ from, to, rowsOnly }, verify)
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

async function transferAll(transfer: Transfer, verify: boolean): Promise<ExitCode> {
  let problems = 0
  let interrupt: (write: () => void) => void = (write) => write()
  const signal = abortOnSignal((write) => interrupt(write))
  const pass = async <T>(title: string, run: (watch: Watch) => Promise<T>): Promise<T> => {
    const projects = await transfer.from.store.listProjects()
    const total = projects.reduce((sum, { jobs }) => sum + jobs, 0)
    const progress = createProgress({ title, unit: 'pictures', total })
    interrupt = progress.interrupt
    const onProblem = (rootId: string, reason: string) => {
      problems++
      progress.interrupt(() => process.stderr.write(`root ${rootId}: ${printable(reason)}\n`))
    }
    try {
      const result = await run({ signal, onProblem, onPictures: progress.advance, onPresent: progress.skip })
      if (signal.aborted) throw new AppError('unavailable', 'interrupted')
      return result
    } catch (error) {
      progress.interrupt(() =>
        process.stderr.write('Stopped. What was copied stays; run the same command again to go on.\n'),
      )
      throw error
    } finally {
      progress.finish()
    }
  }

  const copied = await pass('Copying', (watch) => copyAll(transfer, watch))
  const was = copied.present > 0 ? `, ${counted(copied.present, 'root')} already there` : ''
  say(`Copied: ${counted(copied.roots, 'root')} with ${counted(copied.pictures, 'picture')}${was}.`)
  if (verify) {
    const verified = await pass('Verifying', (watch) => verifyAll(transfer, watch))
    const mended = verified.mended > 0 ? `; ${counted(verified.mended, 'file')} copied once more` : ''
    say(
      `Verified: ${counted(verified.roots, 'root')} with ${counted(verified.pictures, 'picture')} are the same${mended}.`,
    )
  }
  const missing = await compareCounts(transfer)
  if (problems > 0) say(`${counted(problems, 'problem')}: see above.`)
  return problems > 0 || missing ? 1 : 0
}

/** Prints both ends side by side; true where the copy holds less. */
async function compareCounts({ from, to }: Transfer): Promise<boolean> {
  const there = new Map((await to.store.listProjects()).map((project) => [project.projectId, project]))
  const rows = (await from.store.listProjects()).map((here) => {
    const copy = there.get(here.projectId) ?? { roots: 0, jobs: 0 }
    return { here, copy, less: copy.roots < here.roots || copy.jobs < here.jobs }
  })
  const lines = rows.map(({ here, copy, less }) => [
    here.projectId,
    `${here.roots} / ${copy.roots}`,
    `${here.jobs} / ${copy.jobs}`,
    less ? 'not all there' : 'all there',
    printable(here.name),
  ])
  process.stdout.write(
    `${formatTable(['PROJECT', 'ROOTS HERE / THERE', 'PICTURES HERE / THERE', '', 'NAME'], lines)}\n`,
  )
  return rows.some(({ less }) => less)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
