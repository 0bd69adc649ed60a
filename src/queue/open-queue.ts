import { setTimeout as sleep } from 'node:timers/promises'
import type { Captures, CaptureTask } from '../store/captures.ts'
import { createTurns } from '../turns.ts'
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
/** Renewing must not take the connections of a database from those who read, least of all from one that does not answer. */
const RENEWED_AT_ONCE = 3
/** A database that is away hears of nothing, and finds out by itself when leases run out. */
const CLOSE_MS = 20_000

/** The store itself is the queue, and this process works it off; others on the same store may help. */
export function openQueue(
  captures: Captures,
  { work, concurrency, extra = 0, log, clock = Date.now, mayNotBegin, ownOnly = false }: QueueOptions,
): Queue {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  let doze = new AbortController()
  const wake = () => doze.abort()
  const own = new Set<{ projectId: string; rootId: string }>()
  const renewals = createTurns(RENEWED_AT_ONCE)

  const run = async (task: CaptureTask): Promise<void> => {
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, closing.signal])
    let isRenewing = false
    const renew = async () => {
      if (isRenewing) return
      isRenewing = true
      try {
        const ours = await renewals(() => captures.renew(task, clock() + LEASE_MS))
        if (!ours) lost.abort(new Error('another process has taken over this capture'))
      } catch {
        // Made up for by the next one; where none succeeds, the end of the capture is refused.
      } finally {
        isRenewing = false
      }
    }
    const renewing = setInterval(renew, RENEW_MS)
    try {
      await work(task, signal)
    } catch (error) {
      if (lost.signal.aborted) return
      const stopped = closing.signal.aborted
      const pause = stopped ? 0 : isOurs(error) ? PAUSE_MS : retryDelay(task)
      if (!stopped)
        log.warn({ err: error, rootId: task.rootId, position: task.position }, 'a capture is tried again')
      await captures
        .putBack(task, { now: clock(), due: clock() + pause, counts: !stopped && !isOurs(error) })
        // Then its lease runs out.
        .catch((cause) => log.error({ err: cause }, 'a capture could not be put back'))
    } finally {
      clearInterval(renewing)
    }
  }

  const takeNext = async (idleOnly: boolean): Promise<CaptureTask | undefined> => {
    const lease = { now: clock(), leaseMs: LEASE_MS }
    if (!ownOnly) return await captures.takeNext({ ...lease, idleOnly })
    for (const { rootId } of own) {
      const task = await captures.takeNext({ ...lease, rootId })
      if (task) return task
    }
    return undefined
  }

  const takeAll = async (): Promise<void> => {
    while (!closing.signal.aborted && running.size < concurrency + extra) {
      // Costs next to nothing, and almost always there is nothing.
      if (!(await captures.anyUnfinished())) return
      if (await mayNotBegin?.()) return
      const task = await takeNext(running.size >= concurrency)
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

  const looping = concurrency > 0 ? loop() : undefined
  return {
    ...(ownOnly && { heldUntil: (now: number) => now + HOLD_MS }),
    wake(root) {
      // Only a command keeps them, and that is soon over.
      if (ownOnly) own.add(root)
      wake()
    },
    async close() {
      closing.abort(new Error('the service stops'))
      const tooLong = sleep(CLOSE_MS, 'too long', { ref: false })
      if ((await Promise.race([looping, tooLong])) === 'too long')
        log.warn('the queue was left without a word')
      if (ownOnly) for (const root of own) await captures.letGo(root, clock()).catch(() => {})
    },
  }
}
