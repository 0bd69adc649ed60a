import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { Store } from '../../src/store/store.ts'
import { type RunningProcess, start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { makeProject } from '../support/store/results.ts'
import { REQUEST } from './use-schedules.ts'

const PROGRAM = fileURLToPath(new URL('timer-process.ts', import.meta.url))
const CLOCK = new URL('../../faults/clock-file.ts', import.meta.url).href

const PROJECTS = 5
/** One in this many schedules skips all times after its first: its pages are never captured. */
const SKIPPING = 20

export interface Ordeal {
  /** The environment that names the database. */
  readonly place: Record<string, string>
  /** How far the clock of each process is ahead, in milliseconds. */
  readonly clocks: readonly number[]
  readonly schedules: number
  /** In seconds. */
  readonly every: number
  readonly seconds: number
}

export interface Account {
  readonly kills: number
  readonly freezes: number
  /** Times of all schedules that were due. */
  readonly due: number
  readonly made: number
  readonly missed: number
  readonly skipped: number
  /** Schedules whose numbers do not add up, and occurrences with two roots. */
  readonly wrong: readonly string[]
}

/** Runs schedules in several processes, kills and freezes them at random, and counts the outcome of every time. */
export async function passOrdeal({ place, clocks, schedules, every, seconds }: Ordeal): Promise<Account> {
  const { store, close } = await openStorage(readConfig(place, { serving: false }))
  try {
    const projectIds = await Promise.all(Array.from({ length: PROJECTS }, () => makeProject(store)))
    const created = Date.now()
    for (let index = 0; index < schedules; index++) {
      const projectId = projectIds[index % PROJECTS] ?? ''
      const next = created + every * 1_000
      await store.schedules.create({
        ...{ projectId, scheduleId: randomUUID(), name: `${index}`, created },
        ...{ templateId: undefined, request: JSON.stringify(REQUEST), sealed: undefined },
        ...{ cron: undefined, timezone: undefined, every: `${every}s` },
        ...{ overlap: index % SKIPPING === 0 ? 'skip' : 'run', paused: false, next: { next, due: next } },
      })
    }
    const folder = await makeFolder()
    const begin = async (index: number): Promise<RunningProcess> => {
      const file = join(folder, `clock-${index}`)
      await writeFile(file, String(clocks[index]))
      const env = { ...place, CLOCK_FILE: file, NODE_OPTIONS: `--import=${CLOCK}` }
      const running = start(process.execPath, [PROGRAM], { env })
      await running.waitFor(/running/)
      return running
    }
    const processes = await Promise.all(clocks.map((_, index) => begin(index)))
    const faults = { kills: 0, freezes: 0 }
    const until = performance.now() + seconds * 1_000
    while (performance.now() < until) {
      await sleep(200 + Math.random() * 1_500)
      const index = Math.floor(Math.random() * processes.length)
      const { pid, ended } = processes[index] as RunningProcess
      if (Math.random() < 0.5) {
        process.kill(pid, 'SIGKILL')
        await ended
        await sleep(Math.random() * 1_000)
        processes[index] = await begin(index)
        faults.kills++
      } else {
        process.kill(pid, 'SIGSTOP')
        await sleep(500 + Math.random() * 3_000)
        process.kill(pid, 'SIGCONT')
        faults.freezes++
      }
    }
    // Some more times, undisturbed.
    await sleep(2 * every * 1_000)
    for (const { pid, ended } of processes) {
      process.kill(pid, 'SIGKILL')
      await ended
    }
    const accounts = await Promise.all(projectIds.map((projectId) => settle(store, projectId, every)))
    return { ...faults, ...accounts.reduce(together) }
  } finally {
    await close()
  }
}

type Settled = Omit<Account, 'kills' | 'freezes'>

function together(one: Settled, other: Settled): Settled {
  return {
    due: one.due + other.due,
    made: one.made + other.made,
    missed: one.missed + other.missed,
    skipped: one.skipped + other.skipped,
    wrong: [...one.wrong, ...other.wrong],
  }
}

async function settle(store: Store, projectId: string, every: number): Promise<Settled> {
  const occurrences = new Map<string, number[]>()
  const missed = new Map<string, number>()
  for (let after: { created: number; rootId: string } | undefined; ; ) {
    const heads = await store.pageRoots(projectId, { after, limit: 500 })
    const summaries = await store.browsing.requestsOf(
      projectId,
      heads.map(({ rootId }) => rootId),
    )
    for (const { origin } of summaries.values()) {
      const { scheduleId = '', occurrence = 0, missed: passed = 0 } = origin?.schedule ?? {}
      occurrences.set(scheduleId, [...(occurrences.get(scheduleId) ?? []), occurrence])
      missed.set(scheduleId, (missed.get(scheduleId) ?? 0) + passed)
    }
    after = heads.at(-1)
    if (heads.length < 500) break
  }
  const account = { due: 0, made: 0, missed: 0, skipped: 0, wrong: [] as string[] }
  for (const schedule of await store.schedules.page(projectId, { limit: 10_000 })) {
    const { scheduleId, next, created, skipped, runs, problem } = schedule
    const made = occurrences.get(scheduleId) ?? []
    const due = ((next?.next ?? 0) - created) / (every * 1_000) - 1
    const passed = missed.get(scheduleId) ?? 0
    account.due += due
    account.made += made.length
    account.missed += passed
    account.skipped += skipped
    const isRight =
      made.length + passed + skipped === due &&
      new Set(made).size === made.length &&
      made.every((time) => (time - created) % (every * 1_000) === 0) &&
      runs === made.length &&
      problem === undefined
    if (!isRight)
      account.wrong.push(JSON.stringify({ due, made: made.length, passed, skipped, runs, problem }))
  }
  return account
}
