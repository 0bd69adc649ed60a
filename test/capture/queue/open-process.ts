import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { openQueue } from '../../../src/capture/open-queue.ts'
import type { Queue, QueueOptions, Work } from '../../../src/capture/queue.ts'
import { readConfig } from '../../../src/config/config.ts'
import { openStorage } from '../../../src/service/storage.ts'
import { type CaptureTask, type NewRequest, SUSPECT_DEATHS } from '../../../src/store/captures.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../support/runner/until.ts'
import { newRequest, PICTURE } from '../../support/store/captures.ts'
import { makeProject } from '../../support/store/results.ts'

/** The environment that names a database, and a folder. */
export type Place = Record<string, string>

let ahead = 0
export const clock = () => Date.now() + ahead
/** Captures that wait for a later attempt become due. */
const passTime = () => {
  ahead += 60_000
}

const SILENT = pino({ level: 'silent' })

/** A working process: a store and a queue of its own, in a place that others may share. */
export async function openProcess(
  place: Place,
  {
    concurrency = 2,
    work = finishing,
    ...more
  }: { work?: (captures: Store['captures']) => Work } & Partial<Omit<QueueOptions, 'work'>> = {},
) {
  const { store, close } = await openStorage(readConfig({ PORT: '0', ...place }))
  onTestFinished(close)
  const { captures } = store
  const queue = openQueue(captures, { work: work(captures), concurrency, log: SILENT, ...more })
  const closeQueue = once(() => queue.close())
  onTestFinished(closeQueue)
  return { store, captures, queue, close: closeQueue, ask: asker(store, queue) }
}

/** Adds a request, like the API. */
function asker({ captures }: Store, queue: Queue) {
  return async (projectId: string, more: Parameters<typeof newRequest>[1] = {}, { wake = true } = {}) => {
    const heldUntil = queue.heldUntil?.(Date.now())
    const request = newRequest(projectId, { created: Date.now(), ...(heldUntil && { heldUntil }), ...more })
    const rootId = await captures.accept(request)
    if (wake) queue.wake({ projectId, rootId })
    return { ...request, rootId }
  }
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => {
    closed ??= close()
    return closed
  }
}

/** Work that finishes at once. */
const finishing =
  (captures: Store['captures']): Work =>
  async (task) => {
    await captures.finish(task, PICTURE, Date.now())
  }

/** Work that continues until it is aborted; it tells when it began, when it was aborted, and how often it began. */
export function hanging() {
  const begun = Promise.withResolvers<CaptureTask>()
  const told = Promise.withResolvers<void>()
  let works = 0
  const work = () => async (task: CaptureTask, signal: AbortSignal) => {
    works += 1
    begun.resolve(task)
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    told.resolve()
    throw signal.reason
  }
  return { work, begun: begun.promise, told: told.promise, works: () => works }
}

export const progressOf = async ({ captures }: Store, { projectId, rootId }: NewRequest) => {
  const progress = await captures.findProgress(projectId, rootId)
  if (!progress) throw new Error('there is no such request')
  return progress.captures
}
export const over = async (captures: Store['captures']) => !(await captures.anyUnfinished())
/** Time passes when its first page has been put back, but not while the page runs: its lease would end. */
export async function untilOver(
  { store, queue }: Pick<Awaited<ReturnType<typeof openProcess>>, 'store' | 'queue'>,
  request: NewRequest,
): Promise<void> {
  let last = 1
  await until(async () => {
    const { state, changed = last } = (await progressOf(store, request))[0] ?? {}
    if (state === 'queued' && changed > last) {
      last = changed
      passTime()
      queue.wake(request)
    }
    return await over(store.captures)
  })
}
export const nameOf = ({ rootId, position }: CaptureTask) => `${rootId} ${position}`

/** A request for pages during each of which this many processes have died. */
export async function dieAt(place: Place, pages: number, deaths: number) {
  const { store, captures, ask } = await openProcess(place, { concurrency: 0 })
  const request = await ask(await makeProject(store), { pages })
  const lease = { now: Date.now(), leaseMs: 1_000 }
  for (let death = 0; death < deaths; death++) {
    for (;;) {
      const suspects = death >= SUSPECT_DEATHS
      const task = await captures.takeNext({ ...lease, suspects })
      if (!task) break
    }
    for (const attempt of await captures.findUnderWay())
      await captures.putBack(attempt, { now: lease.now, due: 0, counts: false, died: true })
  }
  return { ...request, captures }
}

/** Opens processes, each in a place of its own unless one is given. `passTime` moves their clock. */
export function processOpener(newPlace: () => Promise<Place>) {
  return async (
    options: { place?: Place } & NonNullable<Parameters<typeof openProcess>[1]> = {},
  ): Promise<Awaited<ReturnType<typeof openProcess>>> => {
    const { place = await newPlace(), ...more } = options
    return await openProcess(place, { clock, ...more })
  }
}
