import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findBenchBrowser, launchPlain, openOurs, type Wanted } from './cameras.ts'
import { mixed, percent, workThrough } from './jobs.ts'
import { type KeptReferences, keepReferences } from './kept.ts'
import { mountOf } from './make.ts'
import type { Options } from './options.ts'
import { serveRealPages } from './serve.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const
const AT_A_TIME = [1, 2, 4, 8]
/** The rest moves with the window. */
const LITTLE = 0.6

interface Job extends Wanted {
  readonly name: string
  readonly reference: KeptReferences
}

/** Full-page pictures of the long pages: how many are wrong, and what is wrong with them. */
export async function checkRight(options: Options): Promise<void> {
  const found = await findBenchBrowser()
  const site = await serveRealPages(options.choose((page) => page.long === true && !page.restless))
  const levels = options.atATime ?? AT_A_TIME
  const each = Math.ceil(options.pictures / levels.length)
  const wanted = mixed(
    site.pages.flatMap((page) =>
      SIZES.map((size) => ({
        name: `${page.name}-${size.width}`,
        url: site.urlOf(page),
        key: mountOf(page) + page.path,
        ...size,
        fullPage: true,
      })),
    ),
    1,
  ).slice(0, each)
  const plain = await launchPlain(found, site.port)
  const pages: Job[] = []
  for (const page of wanted) {
    try {
      const reference = await keepReferences(plain.browser, found.path, page.key, page)
      const compared = await reference.compared()
      if (compared < LITTLE) options.say(`of ${page.name}, ${percent(compared, 1)} can be compared`)
      pages.push({ ...page, reference })
    } catch (error) {
      options.say(`no reference of ${page.name}: ${(error as Error).message}`)
    }
  }
  await plain.close()
  options.say(`${found.kind} ${found.path}, ${pages.length} references`)
  options.say('| at a time | pictures | wrong | share |')
  const reasons: string[] = []
  for (const atATime of levels) {
    const camera = openOurs(found, site.port, atATime)
    const jobs = mixed(
      Array.from({ length: each }, (_, index) => pages[index % pages.length]).filter(
        (job) => job !== undefined,
      ),
      atATime,
    )
    const folder = join(options.folder, `at-${atATime}`)
    await mkdir(folder, { recursive: true })
    // Judged afterwards: that takes the processor, too.
    const files = await workThrough(jobs, atATime, async (job, index) => {
      const file = join(folder, `${job.name}-${index}.png`)
      try {
        await writeFile(file, await camera.take(job))
        return file
      } catch (error) {
        return error as Error
      }
    })
    await camera.close()
    let wrong = 0
    for (const [index, file] of files.entries()) {
      const job = jobs[index]
      if (!job) continue
      const verdict = file instanceof Error ? file : await job.reference.judge(await readFile(file))
      if (!(verdict instanceof Error) && verdict.right) {
        await rm(file as string)
        continue
      }
      wrong++
      const why =
        verdict instanceof Error ? `no picture: ${verdict.message}` : `${verdict.fault}: ${verdict.detail}`
      reasons.push(`${atATime} at a time, ${job.name}: ${why}${file instanceof Error ? '' : `; ${file}`}`)
      if (!(file instanceof Error)) await writeFile(file.replace(/png$/, 'reference.png'), job.reference.png)
    }
    options.say(`| ${atATime} | ${jobs.length} | ${wrong} | ${percent(wrong, jobs.length)} |`)
  }
  for (const reason of reasons) options.say(reason)
  await site.close()
}
