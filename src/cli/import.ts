import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { AppError } from '../errors.ts'
import { readFolder } from '../intake/folder.ts'
import { type Entry, importAll } from '../intake/import-all.ts'
import { countLines, readNdjson } from '../intake/ndjson.ts'
import type { ExitCode } from './exit-code.ts'
import { createProgress } from './progress.ts'
import { nextSignal } from './signals.ts'
import { idOption, requireProject, withStorage } from './storage.ts'
import { printable } from './table.ts'

export function importCommand(finish: (code: ExitCode) => void): Command {
  return new Command('import')
    .description('Make results of pictures that were taken elsewhere. Works while the service runs.')
    .requiredOption('--project <uuid>', 'the project they belong to', idOption)
    .option('--base-url <address>', 'for a folder: the page addresses begin with this', addressOption)
    .argument('<source>', 'an NDJSON file, or a folder of pictures')
    .addHelpText('after', EXPLANATION)
    .action(async (source: string, options: ImportOptions) => finish(await runImport(source, options)))
}

const EXPLANATION = `
A folder becomes one root: a job for each .png, .jpg, .jpeg or .webp in it and the folders below.

A file holds one root a line:
  {"rootId": "…", "created": 1605813006223, "jobs": [
    {"url": {"url": "https://example.com/", "name": "Home", "loadingTime": 15000}, "image": "shots/home.png"}]}

  rootId     optional  UUID; without it, it follows from the content
  created    optional  Unix time in milliseconds; default: now
  jobs       1 to 10,000 of
    url      an address, or {"url", "name"?, "loadingTime"?} (milliseconds, default 15000)
    image    path of the picture, relative to the file; PNG, JPEG or WebP, stored as PNG
    preview  optional  path of a smaller picture; made (400 pixels wide) where missing
    uuid, created, basepath, width, height   optional; a stated size must be the picture's

A root is added with all its jobs or not at all. Importing the same again adds nothing, so a run that was
interrupted can simply be repeated. What is wrong with a line is reported with file and line and does not stop
the others. Where the output is not a terminal, every root gets a line: added|present <rootId> <source>.

Exit code: 0 everything is there now, 1 something is not, 2 a mistake in the command.`

interface ImportOptions {
  readonly project: string
  readonly baseUrl?: string
}

function addressOption(text: string): string {
  if (!URL.canParse(text))
    throw new InvalidArgumentError('It must be an address such as https://example.com.')
  return text
}

async function runImport(source: string, { project, baseUrl }: ImportOptions): Promise<ExitCode> {
  return await withStorage(async (storage, config) => {
    await requireProject(storage, project)
    const { entries, total } = await openSource(resolve(source), baseUrl)
    const intake = { ...storage, limits: config.limits, clock: Date.now }
    const progress = createProgress({ title: 'Importing', unit: 'roots', total })
    const counts = { added: 0, present: 0, failed: 0, pictures: 0 }
    const interruption = new AbortController()
    nextSignal().then(() => interruption.abort())
    try {
      for await (const result of importAll(intake, project, until(interruption.signal, entries))) {
        counts[result.outcome]++
        if (result.outcome === 'added') counts.pictures += result.jobs
        if (result.outcome === 'failed') progress.say(`${result.where}: ${printable(result.reason)}`)
        else if (!process.stdout.isTTY)
          process.stdout.write(`${result.outcome} ${result.rootId} ${result.where}\n`)
        progress.advance()
      }
      if (interruption.signal.aborted) throw new AppError('unavailable', 'interrupted')
    } catch (error) {
      progress.finish()
      process.stderr.write(
        `Stopped: ${summary(counts)}. What was added stays; run the same command again to go on.\n`,
      )
      throw error
    }
    progress.finish()
    process.stderr.write(`Imported: ${summary(counts)}.\n`)
    return counts.failed > 0 ? 1 : 0
  })
}

/** No further entry once the signal came; those under way are finished. */
async function* until<T>(signal: AbortSignal, entries: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  for await (const entry of entries) {
    if (signal.aborted) return
    yield entry
  }
}

function summary({
  added,
  present,
  failed,
  pictures,
}: Record<'added' | 'present' | 'failed' | 'pictures', number>): string {
  const roots = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'root' : 'roots'}`
  const was = present > 0 ? `, ${roots(present)} already there` : ''
  const not = failed > 0 ? `, ${roots(failed)} refused` : ''
  return `${roots(added)} with ${pictures.toLocaleString('en')} pictures added${was}${not}`
}

async function openSource(
  path: string,
  baseUrl: string | undefined,
): Promise<{ entries: Iterable<Entry> | AsyncIterable<Entry>; total: number }> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw new AppError('bad_request', `there is no file or folder ${path}`)
  if (stats.isDirectory()) {
    return { entries: [{ where: basename(path), parse: () => readFolder(path, baseUrl) }], total: 1 }
  }
  if (baseUrl !== undefined)
    throw new AppError('bad_request', '--base-url is for folders; a file states each address')
  return { entries: readNdjson(path), total: await countLines(path) }
}
