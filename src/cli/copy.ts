import { isDeepStrictEqual } from 'node:util'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { databaseLocation, imagesLocation } from '../config/locations.ts'
import { AppError } from '../errors.ts'
import { copyAll } from '../intake/transfer/copy.ts'
import type { CopiedKept } from '../intake/transfer/project.ts'
import { patiently, type Transfer, type TransferHooks } from '../intake/transfer/transfer.ts'
import { verifyAll } from '../intake/transfer/verify.ts'
import { requireMatching } from '../service/check-storages.ts'
import { openStorage } from '../service/storage.ts'
import { createProgress } from './progress.ts'
import { counted, formatTable, print, printable, say, wrong } from './say.ts'
import { abortOnSignal, type ExitCode, exitWith } from './signals.ts'
import { withStorage } from './storage.ts'

export function copyCommand(): Command {
  return new Command('copy')
    .description('Copy everything to another database and image store. The service may run meanwhile.')
    .requiredOption('--to-database <address>', 'as for DATABASE_URL')
    .option('--to-images <address>', 'as for IMAGES_URL; default: the pictures are not copied')
    .addHelpText('after', EXPLANATION)
    .action(exitWith(copy))
}

const EXPLANATION = `
The settings (DATA_DIR, DATABASE_URL, IMAGES_URL) name the source, the options name the target:

  PGPASSWORD=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… npx proofsheet copy \\
    --to-database postgres://proofsheet@db.internal/proofsheet --to-images 's3://shots?region=eu-central-1'

Projects, keys (their hashes), roots and pictures keep their ids, times and order. Afterwards both storages give the
same answers, except for the addresses of pictures. The source keeps everything. A root is copied with all its pictures
or not at all. Then everything is read back: every project, key and row is compared, and every picture by its SHA-256.
Pictures that are missing or damaged at the target are copied. Differences are reported and not changed.

You can run it again after an interruption: it copies what is new and verifies everything. It also copies what is added
while it runs, except at the very end. So run it once more after the source has stopped.

Templates, schedules and webhooks are copied, too. Their secrets stay encrypted. Start the copy with the same
SECRET_KEYS (or data/secret-keys). Schedules are paused there, so that nothing is captured twice. Deliveries, and roots
that are scheduled for later, are not copied.

Without --to-images both databases point at the same pictures. A file .shared marks them: no sweep removes any of them.
Remove that file when only one of the databases is in use.

Passwords, headers and cookies of requests are not copied: a root whose pages still need them is reported, and can be
copied when it is finished. The keys of the service are not copied either. With the same SECRET_KEYS the copy also
recognises requests with secrets that clients repeat.

Other users of the machine can see a password in an option. Use PGPASSWORD instead.

Exit code: 0 everything is there and the same, 1 something is not, 2 a mistake in the command.`

async function copy({ toDatabase, toImages }: { toDatabase: string; toImages?: string }): Promise<ExitCode> {
  const database = parse('--to-database', toDatabase, databaseLocation)
  const images = toImages === undefined ? undefined : parse('--to-images', toImages, imagesLocation)
  return await withStorage(async (from, config) => {
    const target: Config = { ...config, database, images: images ?? config.images }
    const sameImages = isDeepStrictEqual(target.images, config.images)
    if (sameImages && isDeepStrictEqual(target.database, config.database)) {
      throw wrong('source and target are the same (DATABASE_URL, IMAGES_URL, DATA_DIR)')
    }
    if ((await from.store.listProjects({ limit: 1 })).length === 0) {
      throw wrong('there is nothing to copy. Check DATA_DIR, DATABASE_URL and IMAGES_URL')
    }
    const to = await openStorage(target)
    try {
      await to.images.check()
      const begin = () => requireMatching(to, target, { isCopy: true })
      return await transferAll({ from, to, rowsOnly: sameImages }, begin)
    } finally {
      await to.close()
    }
  })
}

/** Not parsed by the option itself: its error message would show a password. */
function parse<T>(option: string, address: string, read: (text: string) => T): T {
  try {
    return read(address)
  } catch (error) {
    throw wrong(`${option} ${(error as Error).message}`)
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
      // Both passes may report it.
      if (!problems.has(where)) progress.interrupt(() => say(`${where}: ${printable(reason)}`))
      problems.add(where)
    }
    try {
      const result = await run({ signal, onProblem, onFiles: progress.advance, onPresent: progress.skip })
      if (signal.aborted) throw new AppError('unavailable', 'interrupted')
      return result
    } catch (error) {
      progress.interrupt(() => say('Stopped. Run the same command again to continue.'))
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
  tellKept(copied.kept)
  const { roots, pictures, mended } = await pass('Verifying', (hooks) => verifyAll(transfer, hooks))
  const late = mended > 0 ? `; missing or damaged files copied again: ${mended}` : ''
  say(`Verified: ${counted(roots, 'root')} with ${counted(pictures, 'picture')} are the same${late}.`)
  const complete = await patiently(() => compareCounts(transfer), { signal })
  if (problems.size > 0) say(`${counted(problems.size, 'problem')}: see above.`)
  else if (!complete) say('More was added meanwhile. Run the same command again.')
  return problems.size > 0 || !complete ? 1 : 0
}

function tellKept(kept: CopiedKept): void {
  const all = Object.entries(kept)
  if (all.every(([, count]) => count === 0)) return
  say(`Also copied: ${all.map(([kind, count]) => counted(count, kind.slice(0, -1))).join(', ')}.`)
  if (kept.schedules === 0) return
  say(
    'Schedules are paused there, so that nothing is captured twice. When the source has stopped, resume each of them: ' +
      'npx proofsheet schedule resume <schedule>',
  )
}

/** Prints both ends side by side. False if the copy has less. */
async function compareCounts({ from, to }: Transfer): Promise<boolean> {
  const there = new Map((await to.store.countProjects()).map((project) => [project.projectId, project]))
  let complete = true
  const lines = (await from.store.countProjects()).map(({ projectId, roots, jobs, name }) => {
    const copied = there.get(projectId)
    const allThere = copied !== undefined && copied.roots >= roots && copied.jobs >= jobs
    complete &&= allThere
    const [rootsThere, jobsThere] = [copied?.roots ?? 0, copied?.jobs ?? 0]
    const state = allThere ? 'all there' : 'not all there'
    return [projectId, `${roots} / ${rootsThere}`, `${jobs} / ${jobsThere}`, state, printable(name)]
  })
  print(formatTable(['PROJECT', 'ROOTS HERE / THERE', 'PICTURES HERE / THERE', '', 'NAME'], lines))
  return complete
}
