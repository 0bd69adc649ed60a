import { createHash } from 'node:crypto'
import { type BenchCamera, findBenchBrowser, openOurs, openPlain } from './cameras.ts'
import { mixed, percent, workThrough } from './jobs.ts'
import type { Options } from './options.ts'
import { serveRealPages } from './serve.ts'

const SIZE = { width: 1280, height: 800 }
const AT_A_TIME = [1, 2, 4]

interface Job {
  readonly name: string
  readonly url: string
  readonly fullPage: boolean
}

interface Taken extends Job {
  readonly atATime: number
  /** Of the picture's bytes; or why there is none. */
  readonly digest: string
}

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
  options.say('| camera | at a time | pictures | the same | share |')
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
          digest: await digestOf(camera, job),
        }))),
      )
      await camera.close()
    }
    report(options, who, levels, taken)
  }
  await site.close()
}

async function digestOf(camera: BenchCamera, { url, fullPage }: Job): Promise<string> {
  try {
    return createHash('sha256')
      .update(await camera.take({ url, ...SIZE, fullPage }))
      .digest('hex')
  } catch (error) {
    return `no picture: ${(error as Error).message}`
  }
}

/** The most frequent picture of a page is looked for among all of them, however many were taken at a time. */
function report(options: Options, who: string, levels: readonly number[], taken: readonly Taken[]): void {
  const unlike: { job: string; same: number; of: number; kinds: number; failed: string | undefined }[] = []
  const isUsual = new Map<Taken, boolean>()
  for (const [job, shots] of Map.groupBy(taken, ({ name }) => name)) {
    const kinds = Map.groupBy(shots, ({ digest }) => digest)
    const [usual] = [...kinds]
      .filter(([digest]) => !digest.startsWith('no picture'))
      .sort(([, a], [, b]) => b.length - a.length)
    for (const shot of shots) isUsual.set(shot, shot.digest === usual?.[0])
    const failed = [...kinds.keys()].find((digest) => digest.startsWith('no picture'))
    if (kinds.size > 1 || failed) {
      unlike.push({ job, same: usual?.[1].length ?? 0, of: shots.length, kinds: kinds.size, failed })
    }
  }
  const row = (level: string, shots: readonly Taken[]) => {
    const same = shots.filter((shot) => isUsual.get(shot)).length
    options.say(`| ${who} | ${level} | ${shots.length} | ${same} | ${percent(same, shots.length)} |`)
  }
  for (const level of levels)
    row(
      String(level),
      taken.filter(({ atATime }) => atATime === level),
    )
  row('all', taken)
  for (const { job, same, of, kinds, failed } of unlike.sort((a, b) => a.same / a.of - b.same / b.of)) {
    options.say(`  ${who}, ${job}: ${same} of ${of} the same, ${kinds} kinds${failed ? `; ${failed}` : ''}`)
  }
}
