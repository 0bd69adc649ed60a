import { setTimeout as sleep } from 'node:timers/promises'
import { removePicturesOf } from './remove.ts'
import type { StoreAndImages } from './remove-pictures.ts'

/** Between two steps, so that a removal does not slow down readers. */
const PAUSE_MS = 10

/** Removes projects in the background. A sweep ends what is interrupted. */
export class ProjectRemovals {
  readonly #storage: StoreAndImages
  readonly #onFailure: (error: unknown, projectId: string) => void
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<void>>()

  constructor(storage: StoreAndImages, onFailure: (error: unknown, projectId: string) => void) {
    this.#storage = storage
    this.#onFailure = onFailure
  }

  /** Returns as soon as the project is hidden and its keys are gone. False if there is no such project. */
  async begin(projectId: string, now: number): Promise<boolean> {
    const steps = this.#storage.store.removals.removeProject(projectId, now)
    if ((await steps.next()).done) return false
    const rest = this.#finish(projectId, steps)
      .catch((error) => this.#onFailure(error, projectId))
      .finally(() => this.#underWay.delete(rest))
    this.#underWay.add(rest)
    return true
  }

  async #finish(projectId: string, steps: AsyncGenerator<readonly string[]>): Promise<void> {
    for await (const uuids of steps) {
      await removePicturesOf(this.#storage, projectId, uuids)
      if (this.#closing.signal.aborted) return
      await sleep(PAUSE_MS)
    }
  }

  /** Removals under way end at their next step. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#underWay)
  }
}
