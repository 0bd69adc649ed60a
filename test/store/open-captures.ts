import type { CaptureTask } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { newRequest, takeAll } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import type { StoreDriver } from './store-driver.ts'

export const NOW = 1_700_000_100_000
export const LEASE = { now: NOW, leaseMs: 20_000 }
/** Put back because its process has died. */
export const DIED = { now: NOW, due: 0, counts: false, died: true }
/** Due by a clock that is two hours ahead. */
export const AHEAD = { now: NOW, due: NOW + 7_200_000, counts: true }

/** How the suites of the captures open stores. */
export function capturesOf(driver: StoreDriver) {
  const open = async () => {
    const store = await driver.open(await driver.newPlace())
    return { store, captures: store.captures, projectId: await makeProject(store) }
  }
  /** Two stores, each with connections of its own, on one database. */
  const openTwice = async () => {
    const place = await driver.newPlace()
    const stores = [await driver.open(place), await driver.open(place)] as const
    const projectId = await makeProject(stores[0])
    const one = (index: number): Store => stores[index % 2] as Store
    return { stores, one, projectId }
  }
  /** A request for some pages, each of them begun. */
  const begun = async (pages: number) => {
    const opened = await open()
    const rootId = await opened.captures.accept(newRequest(opened.projectId, { pages }))
    return { ...opened, rootId, tasks: await takeAll(opened.store, LEASE) }
  }
  return { open, openTwice, begun }
}

export type Begun = Awaited<ReturnType<ReturnType<typeof capturesOf>['begun']>>

export function first(tasks: readonly CaptureTask[]): CaptureTask {
  if (!tasks[0]) throw new Error('nothing was taken')
  return tasks[0]
}
