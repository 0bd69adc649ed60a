import { parseArgs } from 'node:util'
import { type Hold, walkOperations } from './holds/walk.ts'
import { writeResults } from './results.ts'
import { median } from './statistics.ts'
import { enginesOf, withEngine } from './unfair/engine.ts'
import { openTree } from './unfair/tree.ts'

/** No single request may hold the event loop for longer. */
const MOST_MS = 20

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
  const lines: (Hold & { engine: string })[] = []
  process.stdout.write(
    '| operation | largest request | engine | answer | longest turn: processor | by the clock | |\n|---|---|---|---|---|---|---|\n',
  )
  for (const engine of enginesOf(values.engine)) {
    await withEngine(engine, async (newWorld) => {
      await walkOperations(tree, await newWorld(tree), {
        repeats: Number(values.repeats),
        only: values.only?.split(','),
        onHold(hold) {
          lines.push({ ...hold, engine })
          process.stdout.write(`${toText(hold, engine)}\n`)
        },
      })
    })
  }
  await writeResults(lines)
  if (values.check && lines.some(isOver)) process.exit(1)
}

/** Both: the median, and the worst in brackets. */
function toText(hold: Hold, engine: string): string {
  const { operation, what, status, turns } = hold
  const ms = (times: readonly number[]) => `${median(times).toFixed(1)} ms (${Math.max(...times).toFixed(1)})`
  const cells = [
    ...[`\`${operation}\``, what, engine, status],
    ...[ms(turns.map(({ cpuMs }) => cpuMs)), ms(turns.map(({ wallMs }) => wallMs))],
    isOver(hold) ? 'OVER' : '',
  ]
  return `| ${cells.join(' | ')} |`
}

function isOver({ turns }: Hold): boolean {
  return median(turns.map(({ cpuMs }) => cpuMs)) > MOST_MS
}
