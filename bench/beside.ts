import { parseArgs } from 'node:util'
import { rootPath } from '../src/contract/paths.ts'
import { type Ask, sustain } from './load.ts'
import { compare } from './statistics.ts'
import { enginesOf, withEngine } from './unfair/engine.ts'
import { type Running, startService } from './unfair/service.ts'
import { openTree, type Tree } from './unfair/tree.ts'
import type { World } from './unfair/world.ts'

/** Short, and many: the speed of a shared machine changes from second to second. */
const SECONDS = 0.25
const WARM_UP = 6

/** Rows 1 and 2 of this version and of another one. Both services run, and are asked in turns. */
export async function measureBeside(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { engine: { type: 'string' }, rounds: { type: 'string', default: '40' } },
    allowPositionals: true,
  })
  const [other] = positionals
  if (other === undefined)
    throw new Error('Say where the other version is: npm run bench -- beside ANOTHER_CHECKOUT')
  const trees = [await openTree(), await openTree(other)] as const
  process.stdout.write(
    '| # | what | engine | this version | the other | ratio |\n|---|---|---|---|---|---|\n',
  )
  for (const engine of enginesOf(values.engine)) {
    await withEngine(engine, async (newWorld) => {
      const [ours, theirs] = await Promise.all(trees.map(async (tree) => serve(tree, await newWorld(tree))))
      if (!ours || !theirs) throw new Error('two services were to start')
      for (const [row, what, status] of [
        ['1', 'one root', 200],
        ['2', 'one root, 304', 304],
      ] as const) {
        const rates = await compare(await rateOf(ours, status), await rateOf(theirs, status), {
          rounds: Number(values.rounds),
          warmUp: WARM_UP,
        })
        const cells = [
          row,
          what,
          engine,
          perSecond(rates.ours),
          perSecond(rates.theirs),
          rates.ratio.toFixed(3),
        ]
        process.stdout.write(`| ${cells.join(' | ')} |\n`)
      }
      await Promise.all([ours.service.end(), theirs.service.end()])
    })
  }
}

interface Served {
  readonly service: Running
  readonly url: string
}

/** Open to everyone on this machine, as in rows 1 and 2 of the bench. */
async function serve(tree: Tree, { env, victim }: World): Promise<Served> {
  const service = await startService(tree, { ...env, AUTH: 'open', CAPTURE_CONCURRENCY: '0' })
  return { service, url: service.url + rootPath(victim.projectId, victim.rootId) }
}

async function rateOf({ url }: Served, status: 200 | 304): Promise<() => Promise<number>> {
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const ask: Ask = { url, ...(status === 304 && { headers: { 'If-None-Match': etag } }) }
  return async () => (await sustain([ask], { seconds: SECONDS, status })).perSecond
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`
}
