import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeResults } from './results.ts'
import type { Attack } from './unfair/attack.ts'
import { bodies } from './unfair/bodies.ts'
import { captures } from './unfair/captures.ts'
import { controls } from './unfair/controls.ts'
import { enginesOf, withEngine } from './unfair/engine.ts'
import { kept } from './unfair/kept.ts'
import { lists } from './unfair/lists.ts'
import { measureAttack } from './unfair/measure.ts'
import { people } from './unfair/people.ts'
import { flood } from './unfair/queue.ts'
import { revokedKey } from './unfair/revoked-key.ts'
import { sockets } from './unfair/sockets.ts'
import { streams } from './unfair/streams.ts'
import { HEAD, type Line, type Special, toLine, toSpecialLine, toText } from './unfair/table.ts'
import { openTree, type Tree } from './unfair/tree.ts'
import { watchers } from './unfair/watchers.ts'
import { webhooks } from './unfair/webhooks.ts'
import type { World } from './unfair/world.ts'

/** A server that does nothing, to see what the machine itself costs. */
const BARE = fileURLToPath(new URL('unfair/bare-service.ts', import.meta.url))

/** What one client can take from others. Each attack has its own service, and a victim that keeps sending requests. */
export async function measureUnfair(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      engine: { type: 'string' },
      tree: { type: 'string' },
      bare: { type: 'boolean', default: false },
      streams: { type: 'string', default: '500' },
      watchers: { type: 'string', default: '10000' },
      check: { type: 'boolean', default: false },
    },
  })
  const all = [
    ...controls,
    ...streams(Number(values.streams)),
    ...lists,
    ...bodies,
    ...captures,
    revokedKey,
    ...sockets,
    flood,
    ...kept,
    ...people,
    ...webhooks,
    watchers(Number(values.watchers)),
  ]
  const chosen = choose(all, values.only)
  const tree = { ...(await openTree(values.tree)), ...(values.bare && { program: BARE }) }
  const lines: Line[] = []
  process.stdout.write(`${HEAD}\n`)
  for (const engine of enginesOf(values.engine)) {
    await withEngine(engine, async (newWorld) => {
      const shared = await newWorld(tree)
      for (const attack of chosen) {
        process.stderr.write(`${attack.id} ${attack.what}, ${engine} …\n`)
        const world = 'ownWorld' in attack ? await newWorld(tree) : shared
        const line = await measure(tree, world, attack)
        process.stdout.write(`${toText(line)}\n`)
        lines.push(line)
      }
    })
  }
  await writeResults(lines.map(({ cells: _, ...line }) => line))
  if (values.check && lines.some(({ over }) => over && over.length > 0)) process.exit(1)
}

async function measure(tree: Tree, world: World, attack: Attack | Special): Promise<Line> {
  const { engine } = world
  if ('measure' in attack) return toSpecialLine(attack, engine, await attack.measure(tree, world))
  const missing = await attack.missing?.()
  if (missing) {
    return toSpecialLine(attack, engine, {
      note: `left out: ${missing}`,
      over: undefined,
      figures: undefined,
    })
  }
  return toLine(attack, engine, await measureAttack(tree, world, attack))
}

/** By id or by row: `1` is 1a and 1b. */
function choose<Any extends { id: string }>(
  attacks: readonly Any[],
  only: string | undefined,
): readonly Any[] {
  if (only === undefined) return attacks
  const names = only.split(',')
  const isMeant = (name: string) => (attack: Any) =>
    attack.id === name || attack.id.replace(/[a-z]$/, '') === name
  const unknown = names.filter((name) => !attacks.some(isMeant(name)))
  if (unknown.length > 0) throw new Error(`There is no attack ${unknown.join(', ')}.`)
  return attacks.filter((attack) => names.some((name) => isMeant(name)(attack)))
}
