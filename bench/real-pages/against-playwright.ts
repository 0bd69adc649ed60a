import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchCamera, findBenchBrowser, LIMITS, openOurs, openPlain, type Wanted } from './cameras.ts'
import { percent } from './jobs.ts'
import type { Options } from './options.ts'
import { decode, differs, encode, offsetOf, type Pixels } from './pixels.ts'
import { serveRealPages } from './serve.ts'

const SIZE = { width: 1280, height: 800 }

/** Ours beside what Playwright takes, pixel by pixel. What is not the same is saved, to be looked at. */
export async function compareWithPlaywright(options: Options): Promise<void> {
  const found = await findBenchBrowser()
  const site = await serveRealPages(options.choose((page) => page.notCounted === undefined))
  const ours = openOurs(found, site.port, 1)
  const theirs = await openPlain(found, site.port)
  options.say(`${found.kind} ${found.path}, ${site.pages.length} pages`)
  const counts = { window: [0, 0], full: [0, 0] } satisfies Record<string, [number, number]>
  for (const page of site.pages) {
    for (const [kind, count] of Object.entries(counts)) {
      const wanted = { url: site.urlOf(page), ...SIZE, fullPage: kind === 'full' }
      const said = await compareOne(ours, theirs, wanted, join(options.folder, `${page.name}-${kind}`)).catch(
        (error: Error) => `no picture: ${error.message}`,
      )
      count[1] = (count[1] ?? 0) + 1
      if (said === undefined) count[0] = (count[0] ?? 0) + 1
      else options.say(`${page.name}, ${kind}: ${said}`)
    }
  }
  for (const [kind, [same = 0, all = 0]] of Object.entries(counts)) {
    options.say(`${kind}: ${same} of ${all} are the same in every pixel, ${percent(same, all)}`)
  }
  options.say(`pictures: ${options.folder}`)
  await Promise.all([ours.close(), theirs.close(), site.close()])
}

/** Nothing where they are the same. */
async function compareOne(
  ours: BenchCamera,
  theirs: BenchCamera,
  wanted: Wanted,
  file: string,
): Promise<string | undefined> {
  const pictures = [await ours.take(wanted), await theirs.take(wanted)] as const
  const [one, other] = [await decode(pictures[0]), await decode(pictures[1])]
  // Playwright has no limit.
  const sameSize = one.width === other.width && one.height === Math.min(other.height, LIMITS.height)
  const { difference, wrong, seen } = compare(one, other)
  if (sameSize && wrong === 0) return undefined
  await Promise.all([
    writeFile(`${file}-ours.png`, pictures[0]),
    writeFile(`${file}-theirs.png`, pictures[1]),
    writeFile(`${file}-difference.png`, await encode(difference)),
  ])
  const size = sameSize ? '' : `${one.width}x${one.height} and ${other.width}x${other.height}, `
  return `${size}${wrong} pixels differ, ${((100 * wrong) / seen).toFixed(3)} %`
}

/** Black where they differ, on white; of what both have. */
function compare(one: Pixels, other: Pixels) {
  const width = Math.min(one.width, other.width)
  const height = Math.min(one.height, other.height)
  const difference: Pixels = { width, height, data: Buffer.alloc(width * height * 3, 255) }
  let wrong = 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!differs(one.data, offsetOf(one, x, y), other.data, offsetOf(other, x, y), 0)) continue
      wrong++
      const at = offsetOf(difference, x, y)
      difference.data.fill(0, at, at + 3)
    }
  }
  return { difference, wrong, seen: width * height }
}
