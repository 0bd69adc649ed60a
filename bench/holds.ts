import { parseArgs } from 'node:util'
import { type Hold, walkOperations } from './holds/walk.ts'
import { writeResults } from './results.ts'
import { median } from './statistics.ts'
import { enginesOf, withEngine } from './unfair/engine.ts'
import { openTree } from './unfair/tree.ts'
import type { EngineName } from './unfair/world.ts'

/** No single request may hold the event loop for longer. */
const MOST_MS = 20

interface Line extends Hold {
  readonly engine: EngineName
  /** Of the longest turn of each time, the median and the worst. */
  readonly cpuMs: number
  readonly worstCpuMs: number
  readonly wallMs: number
}

/** How long each operation holds the event loop when it is asked for as much as it allows. */
export async function measureHolds(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      engine: { type: 'string' },
      tree: { type: 'string' },
      repeats: { type: 'string', default: '7' },
      check: { type: 'boolean', default: false },
    },
  })
  const tree = await openTree(values.tree)
  const engines = enginesOf(values.engine)
  const lines: Line[] = []
  for (const engine of engines) {
    await withEngine(engine, async (newWorld) => {
      await walkOperations(tree, await newWorld(tree), {
        repeats: Number(values.repeats),
        only: values.only?.split(','),
        onHold(hold) {
          const line = toLine(hold, engine)
          lines.push(line)
          process.stderr.write(`${engine}, ${hold.operation}, ${hold.what}: ${describe(line)}\n`)
        },
      })
    })
  }
  process.stdout.write(toTable(lines, engines))
  await writeResults(lines)
  if (values.check && lines.some(isOver)) process.exit(1)
}

function toLine(hold: Hold, engine: EngineName): Line {
  const cpu = hold.turns.map(({ cpuMs }) => cpuMs)
  const wall = hold.turns.map(({ wallMs }) => wallMs)
  return { ...hold, engine, cpuMs: median(cpu), worstCpuMs: Math.max(...cpu), wallMs: median(wall) }
}

/** A row for each operation, with that of its requests that holds the event loop longest. */
function toTable(lines: readonly Line[], engines: readonly EngineName[]): string {
  const head = ['operation', ...engines.flatMap((engine) => [engine, 'its largest request'])]
  const operations = [...new Set(lines.map(({ operation }) => operation))]
  const rows = operations.map((operation) => [
    `\`${operation}\``,
    ...engines.flatMap((engine) => {
      const own = lines.filter((line) => line.operation === operation && line.engine === engine)
      const [longest] = own.sort((a, b) => b.cpuMs - a.cpuMs)
      return longest ? [describe(longest), longest.what] : ['', '']
    }),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function describe(line: Line): string {
  const text = `${line.cpuMs.toFixed(1)} ms (${line.worstCpuMs.toFixed(1)}; ${line.wallMs.toFixed(0)} by the clock)`
  return isOver(line) ? `**${text}**` : text
}

function isOver({ cpuMs }: Line): boolean {
  return cpuMs > MOST_MS
}
