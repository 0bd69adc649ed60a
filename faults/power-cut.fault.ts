import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import { start } from '../test/support/process.ts'
import { makeFolder } from '../test/support/workspace.ts'
import { audit } from './audit.ts'
import { tell } from './outcome.ts'
import { RecordedDisk } from './power/recorded-disk.ts'
import { readCalls, STRACE, type SystemCall, stringsOf } from './power/system-calls.ts'

const ROUNDS = 25
const CUTS = 120
const CUTS_WITHOUT_SYNC = 20
const WORLD = 'SQLite and a folder'

interface Recording {
  readonly calls: readonly SystemCall[]
  readonly folder: string
  readonly projectId: string
}

/** Runs the workload once, and writes down all that it does to files. */
async function record({ skip }: TestContext): Promise<Recording> {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'])
  } catch {
    skip('strace is not here, or may not watch other processes')
  }
  const folder = await makeFolder()
  const projectId = randomUUID()
  const env = { DATA_DIR: join(folder, 'data') }
  const log = join(folder, 'calls')
  const workload = fileURLToPath(new URL('power/workload.ts', import.meta.url))
  const args = [...STRACE, '-o', log, process.execPath, workload, projectId, String(ROUNDS)]
  const running = start('strace', args, { env })
  const { code } = await running.ended
  expect(running.stderr()).toBe('')
  expect(code).toBe(0)
  const lines = (await readFile(log, 'latin1')).split('\n')
  return { calls: [...readCalls(lines)], folder: env.DATA_DIR, projectId }
}

/** What was said to be kept. */
const saidBy = ({ name, args }: SystemCall): string[] =>
  name === 'write' && args.startsWith('1, ') ? String(stringsOf(args)[0]).trim().split('\n') : []

interface Found {
  readonly acknowledged: number
  readonly lost: number
  readonly dangling: number
  readonly dropped: number
  readonly torn: number
}

/** Cuts the power after so many calls, and looks at what is left. */
async function cutAt({ calls, folder, projectId }: Recording, at: number, syncs: boolean): Promise<Found> {
  // Nothing, all or some of what was not synced.
  const share = [0, 1, Math.random()][Math.floor(Math.random() * 3)] ?? 0
  const disk = new RecordedDisk(folder, { syncs })
  const said: string[] = []
  for (const call of calls.slice(0, at)) {
    disk.apply(call)
    said.push(...saidBy(call))
  }
  const left = join(await makeFolder(), 'data')
  const lost = await disk.cut(left, share)
  const acknowledged = said.map((line) => line.split(' ')).filter(([, id]) => id)
  const found = await audit({ env: { DATA_DIR: left }, projectId }).catch((error) => {
    if (syncs && said.includes('project')) throw error
    return { rootIds: new Set<string>(), jobIds: new Set<string>(), dangling: 0 }
  })
  await rm(left, { recursive: true, force: true })
  const isThere = ([kind, id = '']: string[]) => (kind === 'root' ? found.rootIds : found.jobIds).has(id)
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((one) => !isThere(one)).length,
    dangling: found.dangling,
    ...lost,
  }
}

async function cutOften(recording: Recording, cuts: number, syncs: boolean): Promise<Found> {
  const sum = { acknowledged: 0, lost: 0, dangling: 0, dropped: 0, torn: 0 }
  for (let cut = 0; cut < cuts; cut++) {
    const at = Math.ceil(recording.calls.length * Math.random())
    const found = await cutAt(recording, at, syncs)
    for (const key of Object.keys(sum) as (keyof Found)[]) sum[key] += found[key]
  }
  return sum
}

test('a power cut during imports and captures', async (context) => {
  const recording = await record(context)
  const { dropped, torn, ...found } = await cutOften(recording, CUTS, true)
  const without = await cutOften(recording, CUTS_WITHOUT_SYNC, false)
  tell(context.task, {
    world: WORLD,
    times: CUTS,
    ...found,
    note:
      `${dropped.toLocaleString('en')} unsynced writes dropped, ${torn.toLocaleString('en')} torn; control without fsync: ` +
      `${without.lost.toLocaleString('en')} of ${without.acknowledged.toLocaleString('en')} lost in ${CUTS_WITHOUT_SYNC} cuts`,
  })
  expect(dropped).toBeGreaterThan(0)
  expect(torn).toBeGreaterThan(0)
  // Otherwise nothing was cut.
  expect(without.lost).toBeGreaterThan(0)
})
