import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '../../src/service/storage.ts'
import type { CaptureTask } from '../../src/store/captures.ts'

const DAY_MS = 86_400_000

export interface Root {
  readonly projectId: string
  readonly rootId: string
}

/** Changes the status of the root from another process: a page begins to be captured, or goes back to the queue. */
export type Change = () => Promise<void>

/** Makes each change different. */
export function changesOf({ store: { captures } }: Storage, { rootId }: Root): Change {
  let task: CaptureTask | undefined
  return async () => {
    const now = Date.now()
    if (task) {
      await captures.putBack(task, { now, due: now, counts: false })
      task = undefined
      return
    }
    task = await captures.takeNext({ now, leaseMs: DAY_MS, rootId })
    if (!task) throw new Error('there is no page to begin with')
  }
}

/** Two changes per second: as often as the service checks for changes of other processes. */
export function keepChanging(storage: Storage, root: Root): { stop(): Promise<void> } {
  const change = changesOf(storage, root)
  let over = false
  const changing = (async () => {
    while (!over) {
      await change()
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
