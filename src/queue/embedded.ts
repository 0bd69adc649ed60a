import { setTimeout as sleep } from 'node:timers/promises'
import type { Captures, CaptureTask } from '../store/captures.ts'
import type { Queue, QueueOptions } from './queue.ts'
import { isOurs, retryDelay } from './retry.ts'

/** Whoever is at it renews it; one that was not renewed for this long is a dead one's, and another takes over. */
const LEASE_MS = 20_000
const RENEW_MS = 5_000
/** What other processes have queued, and what has become due, is seen this much later at most. */
const LOOK_MS = 1_000
/** What a command is going to capture itself is left alone for so long, even if it dies. */
const HOLD_MS = 10 * 60_000
/** After something failed that is not the page's fault. */
const PAUSE_MS = 5_000

export interface EmbeddedOptions extends QueueOptions {
  readonly captures: Captures
}

/** The store itself is the queue, and this process works it off; others on the same file may help. */
export function openEmbeddedQueue({
  captures,
  work,
  concurrency,
  log,
  clock = Date.now,
  mayNotBegin,
  ownOnly = false,
}: EmbeddedOptions): Queue {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  let doze = new AbortController()
  const wake = () => doze.abort()
  const own = new Set<{ projectId: string; rootId: string }>()

  const run = async (task: CaptureTask): Promise<void> => {
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, closing.signal])
    const renewing = setInterval(() => {
      captures.renew(task, clock() + LEASE_MS).then(
        (ours) => ours || lost.abort(new Error('another process has taken over this capture')),
        // Made up for by the next one; where none succeeds, the end of the capture is refused.
        () => {},
      )
    }, RENEW_MS)
    try {
      await work(task, signal)
    } catch (error) {
      if (lost.signal.aborted) return
      const stopped = closing.signal.aborted
      const pause = stopped ? 0 : isOurs(error) ? PAUSE_MS : retryDelay(task)
      if (!stopped)
        log.warn({ err: error, rootId: task.rootId, position: task.position }, 'a capture is tried again')
      await captures
        .putBack(task, { due: clock() + pause, counts: !stopped && !isOurs(error) })
        // Then its lease runs out.
        .catch((cause) => log.error({ err: cause }, 'a capture could not be put back'))
    } finally {
      clearInterval(renewing)
    }
  }

  const takeNext = async (): Promise<CaptureTask | undefined> => {
    const lease = { now: clock(), leaseMs: LEASE_MS }
    if (!ownOnly) return await captures.takeNext(lease)
    for (const { rootId } of own) {
      const task = await captures.takeNext({ ...lease, rootId })
      if (task) return task
    }
    return undefined
  }

  const takeAll = async (): Promise<void> => {
    while (!closing.signal.aborted && running.size < concurrency) {
      // Costs next to nothing, and almost always there is nothing.
      if (!(await captures.anyUnfinished())) return
      if (await mayNotBegin?.()) return
      const task = await takeNext()
      if (!task) return
      const ended: Promise<void> = run(task).finally(() => {
        running.delete(ended)
        wake()
      })
      running.add(ended)
    }
  }

  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      doze = new AbortController()
      let pause = LOOK_MS
      try {
        await takeAll()
      } catch (error) {
        log.error({ err: error }, 'the queue cannot be read at the moment')
        pause = PAUSE_MS
      }
      await sleep(pause, undefined, { signal: AbortSignal.any([doze.signal, closing.signal]) }).catch(
        () => {},
      )
    }
    await Promise.all(running)
  }

  const looping = loop()
  return {
    also: undefined,
    ...(ownOnly && { heldUntil: (now: number) => now + HOLD_MS }),
    wake(root) {
      // Only a command keeps them, and that is soon over.
      if (ownOnly) own.add(root)
      wake()
    },
    async close() {
      closing.abort(new Error('the service stops'))
      await looping
      if (ownOnly) for (const root of own) await captures.letGo(root).catch(() => {})
    },
  }
}
