import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Command } from 'commander'
import { settings } from '../config/settings.ts'
import { httpAddress } from '../config/values.ts'
import { DEFAULT_BASEPATH, DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { AppError } from '../errors.ts'
import { readFolder } from '../intake/folder.ts'
import { type Entry, type ImportOutcome, importAll } from '../intake/import-all.ts'
import { countPictures, readNdjson } from '../intake/ndjson.ts'
import { PREVIEW_WIDTH } from '../picture/picture.ts'
import { requireMatching } from '../service/check-storages.ts'
import { valueOption } from './options.ts'
import { createProgress } from './progress.ts'
import { counted, print, printable, say, wrong } from './say.ts'
import { abortOnSignal, type ExitCode, exitWith } from './signals.ts'
import { type Given, getProjectId, projectOption, withStorage } from './storage.ts'

export function importCommand(): Command {
  return new Command('import')
    .description('Import pictures that another program made. The service may run meanwhile.')
    .addOption(projectOption('the project they belong to'))
    .option(
      '--base-url <address>',
      'for a folder: the beginning of the page addresses',
      valueOption(httpAddress),
    )
    .argument('<source>', 'an NDJSON file, or a folder of pictures')
    .addHelpText('after', EXPLANATION)
    .action(exitWith(runImport))
}

const EXPLANATION = `
A folder becomes one root: a job for each .png, .jpg, .jpeg or .webp in it and the folders below.

A file has one root per line:
  {"rootId": "…", "created": 1605813006223, "jobs": [
    {"url": {"url": "https://example.com/", "name": "Home", "loadingTime": 15000}, "image": "shots/home.png"}]}

  rootId     optional  UUID; default: derived from the content
  created    optional  Unix time in milliseconds; default: now
  jobs       one or more (at most MAX_JOBS_PER_ROOT, ${settings.MAX_JOBS_PER_ROOT.default}) of
    url      an address, or {"url", "name"?, "loadingTime"?} (milliseconds, default ${DEFAULT_LOADING_TIME})
    image    path of the picture, relative to the file; PNG, JPEG or WebP, stored as PNG
    preview  optional  path of a smaller picture; default: made from the picture, ${PREVIEW_WIDTH} pixels wide
    uuid     optional  UUID of the job; default: derived from the content
    created  optional  Unix time in milliseconds; default: the root's
    basepath optional  a logical directory; default: ${DEFAULT_BASEPATH}
    width, height  optional; must be those of the picture

A root is added with all its jobs or not at all. Importing the same again adds nothing, so you can repeat an interrupted
run. It also puts back pictures that are missing or damaged. A line with mistakes is reported with its file and number
and does not stop the other lines. If two lines contradict each other, the first one counts. If the output is not a
terminal, one line is printed for each root: added|present|mended <rootId> <source>.

The settings say where the pictures are stored: DATA_DIR (./data), DATABASE_URL, IMAGES_URL. All of them:
npx proofsheet serve --help

Exit code: 0 every root is there now, 1 some are not, 2 a mistake in the command.`

async function runImport(
  source: string,
  { project, baseUrl }: Given & { baseUrl?: string },
): Promise<ExitCode> {
  return await withStorage(async (storage, config) => {
    await requireMatching(storage, config)
    const projectId = await getProjectId(storage, project)
    const { entries, pictures } = await openSource(resolve(source), baseUrl)
    const intake = { ...storage, limits: config.limits, clock: Date.now }
    const progress = createProgress({ title: 'Importing', unit: 'pictures', total: pictures })
    const counts = { added: 0, present: 0, mended: 0, failed: 0, pictures: 0 }
    const signal = abortOnSignal(progress.interrupt)
    const control = { onPictures: progress.advance, signal }
    try {
      for await (const result of importAll(intake, projectId, entries, control)) {
        counts[result.outcome]++
        if (result.outcome === 'added') counts.pictures += result.jobs
        if (result.outcome === 'failed' || !process.stdout.isTTY) progress.interrupt(() => report(result))
      }
      if (signal.aborted) throw new AppError('unavailable', 'interrupted')
    } catch (error) {
      progress.finish()
      say(`Stopped: ${summary(counts)}. Run the same command again to continue.`)
      throw error
    }
    progress.finish()
    say(`Imported: ${summary(counts)}.`)
    return counts.failed > 0 ? 1 : 0
  })
}

function report(result: ImportOutcome): void {
  const where = printable(result.where)
  if (result.outcome === 'failed') say(`${where}: ${printable(result.reason)}`)
  else print(`${result.outcome} ${result.rootId} ${where}`)
}

type Counts = Readonly<Record<'added' | 'present' | 'mended' | 'failed' | 'pictures', number>>

function summary({ added, present, mended, failed, pictures }: Counts): string {
  const was = present > 0 ? `, ${counted(present, 'root')} already there` : ''
  const again = mended > 0 ? `, ${counted(mended, 'root')} mended` : ''
  const not = failed > 0 ? `, ${counted(failed, 'root')} refused` : ''
  return `${counted(added, 'root')} with ${counted(pictures, 'picture')} added${was}${again}${not}`
}

async function openSource(
  path: string,
  baseUrl: string | undefined,
): Promise<{ entries: Iterable<Entry> | AsyncIterable<Entry>; pictures: number }> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw wrong(`there is no file or folder ${printable(path)}`)
  if (stats.isDirectory()) {
    const submission = await readFolder(path, baseUrl)
    return { entries: [{ where: basename(path), parse: () => submission }], pictures: submission.jobs.length }
  }
  if (!stats.isFile()) throw wrong('the source must be a file or a folder, not a pipe')
  if (baseUrl !== undefined) {
    throw wrong('--base-url is only for folders; a file has its own addresses')
  }
  return { entries: readNdjson(path), pictures: await countPictures(path) }
}
