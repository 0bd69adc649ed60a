import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { Wanted } from './cameras.ts'
import { judgePixels, type Reference, type Verdict } from './judge.ts'
import { CACHE } from './make.ts'
import { type Area, maskOf, open } from './mask.ts'
import { decode, encode, type Pixels } from './pixels.ts'
import { makeReferences } from './reference.ts'

/** Another number where references are made in another way: those that are kept are then made again. */
const WAY = 5

/** Packed: unpacked, those of all pages would not fit. */
export interface KeptReferences {
  /** The first of them. */
  readonly png: Buffer
  /** The share of the first that is compared. */
  readonly compared: () => Promise<number>
  /** Right where it is like one of them. */
  judge(picture: Buffer): Promise<Verdict>
}

interface Packed {
  readonly png: Buffer
  readonly areas: readonly Area[]
}

/** Making one takes ten seconds, so they are kept for each browser, page and size. `key` says which page it is. */
export async function keepReferences(
  browser: Browser,
  path: string,
  key: string,
  wanted: Omit<Wanted, 'fullPage'>,
): Promise<KeptReferences> {
  const { width, height } = wanted
  const name = createHash('sha256')
    .update(JSON.stringify([WAY, path, browser.version(), key, width, height]))
    .digest('hex')
    .slice(0, 24)
  const folder = join(CACHE, 'references')
  const packed = (await read(folder, name)) ?? (await make(browser, wanted, folder, name))
  const [first] = packed
  if (!first) throw new Error('no reference')
  return {
    png: first.png,
    compared: async () => comparedShare(first, width, await decode(first.png)),
    async judge(picture) {
      const pixels = await decode(picture)
      let verdict: Verdict | undefined
      for (const { png, areas } of packed) {
        const reference: Reference = {
          pixels: await decode(png),
          mask: maskOf(areas, width),
          windowHeight: height,
        }
        const next = judgePixels(pixels, reference)
        if (next.right) return next
        // Of several, the one that is nearest tells the most.
        if (!verdict || verdict.right || next.fault !== 'size') verdict = next
      }
      if (!verdict) throw new Error('no reference')
      return verdict
    },
  }
}

function comparedShare({ areas }: Packed, width: number, { height }: Pixels): number {
  const mask = maskOf(areas, width)
  let seen = 0
  for (let y = 0; y < height; y++) {
    open(mask.spans(y), width).forEach((x, index) => {
      seen += index % 2 === 0 ? -x : x
    })
  }
  return seen / (width * height)
}

async function make(
  browser: Browser,
  wanted: Omit<Wanted, 'fullPage'>,
  folder: string,
  name: string,
): Promise<Packed[]> {
  const packed: Packed[] = []
  for (const { pixels, areas } of await makeReferences(browser, wanted)) {
    packed.push({ png: await encode(pixels), areas })
  }
  await mkdir(folder, { recursive: true })
  for (const [index, { png }] of packed.entries()) await writeFile(join(folder, `${name}-${index}.png`), png)
  // Last: what has this is whole.
  await writeFile(join(folder, `${name}.json`), JSON.stringify(packed.map(({ areas }) => areas)))
  return packed
}

async function read(folder: string, name: string): Promise<Packed[] | undefined> {
  try {
    const all = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Area[][]
    return await Promise.all(
      all.map(async (areas, index) => ({ png: await readFile(join(folder, `${name}-${index}.png`)), areas })),
    )
  } catch {
    return undefined
  }
}
