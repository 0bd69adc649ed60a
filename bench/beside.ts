import { parseArgs } from 'node:util'
import { rootPath } from '../src/contract/paths.ts'
import { type Ask, sustain } from './load.ts'
import { compare, median } from './statistics.ts'
import { enginesOf, withEngine } from './unfair/engine.ts'
import { type Running, startService } from './unfair/service.ts'
import { openTree, type Tree } from './unfair/tree.ts'
import type { World } from './unfair/world.ts'

/** Short, and many: the speed of a shared machine changes from second to second. */
const SECONDS = 0.25
const WARM_UP = 6
const ROWS = [
  { row: '1', what: 'one root', status: 200 },
  { row: '2', what: 'one root, 304', status: 304 },
] as const
const HEAD =
  '| # | what | engine | this version | the other | ratio | each time |\n|---|---|---|---|---|---|---|\n'

/**
 * Rows 1 and 2 of this version and of another one. Both services run, and are asked in turns. They are started several times: of
 * two processes of one version, one may be a tenth faster for as long as it runs. In older versions V8 keeps a small young heap in
 * some of them (decision 11).
 */
export async function measureBeside(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      engine: { type: 'string' },
      starts: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '12' },
    },
    allowPositionals: true,
  })
  const [other] = positionals
  if (other === undefined)
    throw new Error('Say where the other version is: npm run bench -- beside ANOTHER_CHECKOUT')
  const trees = [await openTree(), await openTree(other)] as const
  process.stdout.write(HEAD)
  for (const engine of enginesOf(values.engine)) {
    await withEngine(engine, async (newWorld) => {
      const worlds = [await newWorld(trees[0]), await newWorld(trees[1])] as const
      const seen = ROWS.map((row) => ({ ...row, rates: [] as Rates[] }))
      for (let start = 0; start < Number(values.starts); start++) {
        const ours = await serve(trees[0], worlds[0])
        const theirs = await serve(trees[1], worlds[1])
        for (const { status, rates } of seen) {
          const options = { rounds: Number(values.rounds), warmUp: WARM_UP }
          rates.push(await compare(await rateOf(ours, status), await rateOf(theirs, status), options))
        }
        await Promise.all([ours.service.end(), theirs.service.end()])
      }
      for (const { row, what, rates } of seen) {
        const of = (name: keyof Rates) => median(rates.map((each) => each[name]))
        const each = rates.map(({ ratio }) => ratio.toFixed(2)).sort()
        const cells = [
          row,
          what,
          engine,
          perSecond(of('ours')),
          perSecond(of('theirs')),
          of('ratio').toFixed(3),
        ]
        process.stdout.write(`| ${[...cells, each.join(' ')].join(' | ')} |\n`)
      }
    })
  }
}

type Rates = Awaited<ReturnType<typeof compare>>

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
