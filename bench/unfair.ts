import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts'
import { writeResults } from './results.ts'
import type { Attack } from './unfair/attack.ts'
import { bodies } from './unfair/bodies.ts'
import { controls } from './unfair/controls.ts'
import { lists } from './unfair/lists.ts'
import { measureAttack } from './unfair/measure.ts'
import { sockets } from './unfair/sockets.ts'
import { streams } from './unfair/streams.ts'
import { HEAD, type Line, toLine, toText } from './unfair/table.ts'
import { openTree, type Tree } from './unfair/tree.ts'
import { type EngineName, makeWorld, type World } from './unfair/world.ts'

/** What one key can take from the others: each attack on a service of its own, beside a victim that goes on asking. */
export async function measureUnfair(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      engine: { type: 'string' },
      tree: { type: 'string' },
      streams: { type: 'string', default: '500' },
      check: { type: 'boolean', default: false },
    },
  })
  const attacks = [...controls, ...streams(Number(values.streams)), ...lists, ...bodies, ...sockets]
  const chosen = choose(attacks, values.only)
  const engines = (['SQLite', 'PostgreSQL'] as const).filter((engine) =>
    engine.toLowerCase().startsWith(values.engine?.toLowerCase() ?? ''),
  )
  const tree = await openTree(values.tree)
  const lines: Line[] = []
  process.stdout.write(`${HEAD}\n`)
  for (const engine of engines) {
    await withEngine(tree, engine, async (newWorld) => {
      const shared = await newWorld()
      for (const attack of chosen) {
        process.stderr.write(`${attack.id} ${attack.what}, ${engine} …\n`)
        const world = attack.ownWorld ? await newWorld() : shared
        const line = toLine(attack, engine, await measureAttack(tree, world, attack))
        process.stdout.write(`${toText(line)}\n`)
        lines.push(line)
      }
    })
  }
  await writeResults(lines.map(({ cells: _, ...line }) => line))
  if (values.check && lines.some(({ over }) => over && over.length > 0)) process.exit(1)
}

/** By id or by row: `1` is 1a and 1b. */
function choose(attacks: readonly Attack[], only: string | undefined): readonly Attack[] {
  if (only === undefined) return attacks
  const names = only.split(',')
  const isMeant = (name: string) => (attack: Attack) =>
    attack.id === name || attack.id.replace(/[a-z]$/, '') === name
  const unknown = names.filter((name) => !attacks.some(isMeant(name)))
  if (unknown.length > 0) throw new Error(`There is no attack ${unknown.join(', ')}.`)
  return attacks.filter((attack) => names.some((name) => isMeant(name)(attack)))
}

async function withEngine(
  tree: Tree,
  engine: EngineName,
  run: (newWorld: () => Promise<World>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-unfair-'))
  const worlds: World[] = []
  let postgres: TestPostgres | undefined
  try {
    postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined
    await run(async () => {
      const world = await makeWorld(tree, { engine, folder, databaseUrl: await postgres?.newDatabase() })
      worlds.push(world)
      return world
    })
  } finally {
    for (const world of worlds) await world.close()
    await postgres?.close()
    await rm(folder, { recursive: true, force: true })
  }
}
