import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchCamera, findBenchBrowser, openOurs, openPlain } from './cameras.ts'
import { mixed, percent, workThrough } from './jobs.ts'
import type { Options } from './options.ts'
import { serveRealPages } from './serve.ts'

const SIZE = { width: 1280, height: 800 }
const AT_A_TIME = [1, 2, 4]
/** Of our pictures. */
const TARGET = 0.99

interface Job {
  readonly name: string
  readonly url: string
  readonly fullPage: boolean
}

interface Taken extends Job {
  readonly atATime: number
  /** The path of the picture, or why there is none. Pictures with the same bytes have the same path. */
  readonly picture: string
}

const NONE = 'no picture: '

/** The same page again and again: the share of pictures that are, byte for byte, the one that is there most often. */
export async function checkRepeatable(options: Options): Promise<void> {
  const found = await findBenchBrowser()
  const site = await serveRealPages(options.choose((page) => page.notCounted === undefined))
  const jobs = site.pages.flatMap((page) =>
    [false, true].map((fullPage) => ({
      name: `${page.name}${fullPage ? ', full' : ''}`,
      url: site.urlOf(page),
      fullPage,
    })),
  )
  const levels = options.atATime ?? AT_A_TIME
  options.say(`${found.kind} ${found.path}, ${site.pages.length} pages, ${options.repeats} repeats of each`)
  options.say('| camera | at a time | pictures | the same | share | target |')
  for (const [who, open] of [
    ['ours', async (atATime: number) => openOurs(found, site.port, atATime)],
    ['Playwright', () => openPlain(found, site.port)],
  ] as const) {
    const taken: Taken[] = []
    for (const atATime of levels) {
      const camera = await open(atATime)
      const all = Array.from({ length: options.repeats }, () => jobs).flat()
      taken.push(
        ...(await workThrough(mixed(all, atATime), atATime, async (job) => ({
          ...job,
          atATime,
          picture: await keepPicture(camera, job, join(options.folder, who)),
        }))),
      )
      await camera.close()
    }
    await report(options, who, levels, taken)
  }
  await site.close()
}

async function keepPicture(
  camera: BenchCamera,
  { name, url, fullPage }: Job,
  place: string,
): Promise<string> {
  try {
    const bytes = await camera.take({ url, ...SIZE, fullPage })
    const digest = createHash('sha256').update(bytes).digest('hex')
    const file = `${place}-${name.replace(', ', '-')}-${digest.slice(0, 12)}.png`
    await writeFile(file, bytes)
    return file
  } catch (error) {
    return `${NONE}${(error as Error).message}`
  }
}

/**
 * The most frequent picture of a page is looked for among all of them, however many were taken at a time. Where there are
 * several kinds, one of each is left to be looked at.
 */
async function report(
  options: Options,
  who: string,
  levels: readonly number[],
  taken: readonly Taken[],
): Promise<void> {
  const unlike: { share: number; line: string }[] = []
  const isUsual = new Map<Taken, boolean>()
  for (const [job, shots] of Map.groupBy(taken, ({ name }) => name)) {
    const kinds = [...Map.groupBy(shots, ({ picture }) => picture)].sort(
      ([, a], [, b]) => b.length - a.length,
    )
    const files = kinds.map(([picture]) => picture).filter((picture) => !picture.startsWith(NONE))
    for (const shot of shots) isUsual.set(shot, shot.picture === files[0])
    if (kinds.length === 1 && files[0]) {
      await rm(files[0])
      continue
    }
    const same = shots.filter(({ picture }) => picture === files[0]).length
    const places = kinds.map(([picture, { length }]) => `\n    ${length} × ${picture}`).join('')
    unlike.push({ share: same / shots.length, line: `  ${job}: ${same} of ${shots.length}${places}` })
  }
  const row = (level: string, shots: readonly Taken[], target = '') => {
    const same = shots.filter((shot) => isUsual.get(shot)).length
    const met = same >= TARGET * shots.length ? 'met' : 'MISSED'
    options.say(
      `| ${who} | ${level} | ${shots.length} | ${same} | ${percent(same, shots.length)} | ${target && `${target}: ${met}`} |`,
    )
  }
  for (const level of levels) {
    row(
      String(level),
      taken.filter(({ atATime }) => atATime === level),
    )
  }
  row('all', taken, who === 'ours' ? `≥ ${100 * TARGET} %` : '')
  for (const { line } of unlike.sort((a, b) => a.share - b.share)) options.say(line)
}
