import { describe, expect, onTestFinished, test } from 'vitest'
import { walkOperations } from '../../bench/holds/walk.ts'
import { openTree } from '../../bench/unfair/tree.ts'
import { makeWorld } from '../../bench/unfair/world.ts'
import { COMMAND } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { useDatabases } from '../support/servers/use-servers.ts'

// No request holds the event loop for long: npm run bench -- holds measures it, and this test fails if one takes far too long.
// It measures the processor time of the thread, not the time on the clock, and uses the smallest of several: other work
// on the machine can only add to both.

const postgres = useDatabases()
const REPEATS = 3
/** Milliseconds of processor time. Twice the time that a request may use: a busy machine has slow memory. */
const MOST_MS = 40
/** The time of `work` on a quiet machine (arm64, 18 November 2026). A slower machine gets proportionally more time. */
const WORK_MS = 12

/** Work like that of a large request, to measure how fast this machine is now. */
function work(): void {
  const pages = Array.from({ length: 20_000 }, (_, index) => ({
    url: `https://example.com/${index}`,
    name: 'Page',
  }))
  JSON.parse(JSON.stringify(pages))
}

function slowness(): number {
  const times = Array.from({ length: 9 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.max(1, Math.min(...times) / WORK_MS)
}

describe.for([
  ['SQLite', async (): Promise<string | undefined> => undefined],
  ['PostgreSQL', (): Promise<string | undefined> => postgres.newDatabase()],
] as const)('%s', ([engine, newDatabase]) => {
  test('no operation holds the event loop for long with its largest request', {
    timeout: 600_000,
  }, async () => {
    const folder = await makeFolder()
    const tree = { ...(await openTree()), program: COMMAND }
    const databaseUrl = await newDatabase()
    const world = await makeWorld(tree, { engine, folder, databaseUrl, site: 'http://127.0.0.1:1' })
    onTestFinished(() => world.close())
    const holds = await walkOperations(tree, world, { repeats: REPEATS })
    const most = MOST_MS * slowness()
    const over = holds
      .map(
        ({ operation, what, turns }) =>
          [`${operation} ${what}`, Math.min(...turns.map(({ cpuMs }) => cpuMs))] as const,
      )
      .filter(([, ms]) => ms > most)
    expect(over).toEqual([])
  })
})
