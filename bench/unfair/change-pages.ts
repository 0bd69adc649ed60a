import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '../../src/storage.ts'

const DAY_MS = 86_400_000

export interface Root {
  readonly projectId: string
  readonly rootId: string
}

/** One page begins to be captured, or goes back to the queue: a change of the root's status, made by another process. */
export async function changeOnce({ store }: Storage, root: Root, position: number): Promise<void> {
  const task = await store.captures.take({ ...root, position }, { now: Date.now(), leaseMs: DAY_MS })
  if (!task) throw new Error('there is no such page')
}

/** A change twice a second, which is how often the service looks for those of other processes. */
export function keepChanging(storage: Storage, root: Root, pages: number): { stop(): Promise<void> } {
  let over = false
  const changing = (async () => {
    for (let position = 0; !over; position = (position + 1) % pages) {
      await changeOnce(storage, root, position)
      await sleep(500)
    }
  })()
  return {
    async stop() {
      over = true
      await changing
    },
  }
}
