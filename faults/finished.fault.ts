import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { openStorage } from '../src/service/storage.ts'
import type { RootEvent } from '../src/store/captures.ts'
import type { Store } from '../src/store/store.ts'
import { start } from '../test/support/processes/process.ts'
import { newRequest } from '../test/support/store/captures.ts'
import { tell } from './outcome.ts'
import { type Installation, useInstallations } from './worlds.ts'

const ROOTS = 200
const PAGES_A_ROOT = 5
const WORKERS = 3
/** Of each worker in a row, before one may work to the end. */
const KILLS = 12
const WORKER = fileURLToPath(new URL('finishing-worker.ts', import.meta.url))

/** Starts one after the other and kills each soon; the last works to the end. */
async function workAndDie({ env }: Installation): Promise<number> {
  for (let kill = 0; ; kill++) {
    const worker = start(process.execPath, [WORKER], { env })
    await worker.waitFor(/working/)
    if (kill < KILLS) {
      await sleep(randomInt(20, 400))
      process.kill(worker.pid, 'SIGKILL')
    }
    const { code } = await worker.ended
    if (code === 0) return kill
    if (kill === KILLS) throw new Error(worker.stderr())
  }
}

async function readAll({ events }: Store, projectId: string): Promise<RootEvent[]> {
  const found: RootEvent[] = []
  for (;;) {
    const some = await events.read(projectId, { after: found.at(-1)?.number ?? 0, limit: 500 })
    if (some.length === 0) return found
    found.push(...some)
  }
}

/** One event for each page, then one for the root, and the root says the same. */
async function isRight(
  { captures }: Store,
  projectId: string,
  rootId: string,
  events: readonly RootEvent[] = [],
): Promise<boolean> {
  const progress = await captures.findProgress(projectId, rootId)
  if (!progress?.finished || events.length !== PAGES_A_ROOT + 1) return false
  const last = events.at(-1)
  const pages = events.slice(0, -1)
  const done = progress.captures.filter(({ state }) => state === 'done').length
  const outcome = done === PAGES_A_ROOT ? 'done' : done === 0 ? 'failed' : 'partial'
  return (
    last?.kind === 'root.finished' &&
    last.created === progress.finished.at &&
    outcome === progress.finished.outcome &&
    pages.every(({ kind, position }) => kind === `page.${progress.captures[position ?? -1]?.state}`) &&
    new Set(pages.map(({ position }) => position)).size === PAGES_A_ROOT
  )
}

for (const [world, newInstallation] of useInstallations()) {
  test(`kill -9 of workers while roots are finished, ${world}`, async ({ task }) => {
    const installation = await newInstallation({})
    const { projectId } = installation
    const { store, close } = await openStorage(readConfig({ PORT: '0', ...installation.env }))
    const rootIds: string[] = []
    for (let root = 0; root < ROOTS; root++)
      rootIds.push(await store.captures.accept(newRequest(projectId, { pages: PAGES_A_ROOT })))
    const began = performance.now()
    const kills = await Promise.all(Array.from({ length: WORKERS }, () => workAndDie(installation)))
    const seconds = Math.round((performance.now() - began) / 1_000)
    const times = kills.reduce((sum, kill) => sum + kill)
    const events = await readAll(store, projectId)
    const byRoot = Map.groupBy(events, ({ rootId }) => rootId)
    let lost = 0
    for (const rootId of rootIds) if (!(await isRight(store, projectId, rootId, byRoot.get(rootId)))) lost++
    await close()
    const note = `${events.length} events, each root finished once; ${seconds} s`
    tell(task, { world, times, acknowledged: ROOTS, lost, dangling: 0, note })
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1))
    expect(events).toHaveLength(ROOTS * (PAGES_A_ROOT + 1))
  })
}
