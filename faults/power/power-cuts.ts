import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../../test/support/processes/process.ts'
import { makeFolder } from '../../test/support/processes/workspace.ts'
import { audit } from '../audit.ts'
import { RecordedDisk } from './recorded-disk.ts'
import { readCalls, STRACE, type SystemCall, stringsOf } from './system-calls.ts'

/** Why this machine cannot record. Undefined if it can. */
export function whyNotRecorded(): string | undefined {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'strace is not here, or may not watch other processes'
  }
}

export interface Recording {
  readonly calls: readonly SystemCall[]
  readonly folder: string
  readonly projectId: string
}

/** Runs the workload once and records all its changes of files. */
export async function record(rounds: number): Promise<Recording> {
  const folder = await makeFolder()
  const projectId = randomUUID()
  const env = { DATA_DIR: join(folder, 'data') }
  const log = join(folder, 'calls')
  const workload = fileURLToPath(new URL('workload.ts', import.meta.url))
  const args = [...STRACE, '-o', log, process.execPath, workload, projectId, String(rounds)]
  const running = start('strace', args, { env })
  const { code } = await running.ended
  if (code !== 0) throw new Error(running.stderr())
  const lines = (await readFile(log, 'latin1')).split('\n')
  return { calls: [...readCalls(lines)], folder: env.DATA_DIR, projectId }
}

/** What the workload has acknowledged. */
const saidBy = ({ name, args }: SystemCall): string[] =>
  name === 'write' && args.startsWith('1, ') ? String(stringsOf(args)[0]).trim().split('\n') : []

export interface Found {
  readonly acknowledged: number
  readonly lost: number
  readonly dangling: number
  readonly dropped: number
  readonly torn: number
}

/** Cuts the power after so many calls, and checks what is left. */
async function cutAt({ calls, folder, projectId }: Recording, at: number, syncs: boolean): Promise<Found> {
  // Unsynced writes are lost, kept, or partly kept.
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

/** Cuts the power so often, each time at a random call. `syncs: false` is a disk that ignores syncs. */
export async function cutOften(recording: Recording, cuts: number, syncs: boolean): Promise<Found> {
  const sum = { acknowledged: 0, lost: 0, dangling: 0, dropped: 0, torn: 0 }
  // Not before the first output: until then the program is only loaded.
  const first = recording.calls.findIndex((call) => saidBy(call).length > 0) + 1
  for (let cut = 0; cut < cuts; cut++) {
    const at = Math.ceil(first + (recording.calls.length - first) * Math.random())
    const found = await cutAt(recording, at, syncs)
    for (const key of Object.keys(sum) as (keyof Found)[]) sum[key] += found[key]
  }
  return sum
}
