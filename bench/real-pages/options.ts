import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { REAL_PAGES, type RealPage } from './list.ts'

export interface Options {
  readonly pictures: number
  readonly repeats: number
  readonly atATime: readonly number[] | undefined
  /** For pictures to look at. */
  readonly folder: string
  /** Those that were named, or else those that the bench is about. */
  choose(meant: (page: RealPage) => boolean): readonly RealPage[]
  say(line: string): void
}

export async function readOptions(args: readonly string[]): Promise<Options> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pictures: { type: 'string', default: '400' },
      repeats: { type: 'string', default: '1' },
      'at-a-time': { type: 'string' },
      only: { type: 'string' },
    },
  })
  const only = values.only?.split(',')
  const unknown = only?.filter((name) => !REAL_PAGES.some((page) => page.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`There is no page ${unknown.join(', ')}.`)
  return {
    pictures: Number(values.pictures),
    repeats: Number(values.repeats),
    atATime: values['at-a-time']?.split(',').map(Number),
    folder: await mkdtemp(join(tmpdir(), 'proofsheet-real-pages-')),
    choose: (meant) => REAL_PAGES.filter((page) => only?.includes(page.name) ?? meant(page)),
    say: (line) => process.stdout.write(`${line}\n`),
  }
}
