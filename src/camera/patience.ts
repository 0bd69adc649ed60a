import { setTimeout as sleep } from 'node:timers/promises'
import { movedOn } from './moves.ts'

/** Pause between two attempts at a page that has moved. */
export const MOVED_MS = 50

/** The time in which a page must come to rest. Waits that were asked for are added to it. */
export class LoadingTime {
  #end: number

  constructor(milliseconds: number) {
    this.#end = performance.now() + milliseconds
  }

  get end(): number {
    return this.#end
  }

  get left(): number {
    return Math.max(0, this.#end - performance.now())
  }

  /** The deadline of a step that the picture can do without. The remaining time is divided equally among `steps` of them. */
  share(steps: number): number {
    // One more share is for the picture.
    return performance.now() + this.left / (steps + 1)
  }

  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    await sleep(milliseconds, undefined, { signal })
    this.#end += milliseconds
  }
}

/** If the page moves meanwhile, wait for its new document. */
export async function whereverItGoes<T>(
  work: (over: AbortSignal) => Promise<T>,
  over: AbortSignal,
): Promise<T | undefined> {
  while (!over.aborted) {
    try {
      return await work(over)
    } catch (error) {
      if (over.aborted) break
      if (!movedOn(error)) throw error
      await sleep(MOVED_MS)
    }
  }
  return undefined
}

/** Undefined if it takes longer. */
export async function before<T>(
  deadline: number,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const over = new AbortController()
  const { signal } = over
  const working = work(signal)
  working.catch(() => {})
  const late = sleep(Math.max(0, deadline - performance.now()), undefined, { signal }).catch(() => undefined)
  return await Promise.race([working, late]).finally(() => over.abort())
}
