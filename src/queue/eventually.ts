import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { Queue, QueueOptions } from './queue.ts'

const RETRY_MS = 10_000

export interface EventualQueue {
  /** Throws what keeps it from being opened. */
  opened(): Promise<Queue>
  close(): Promise<void>
}

/**
 * A queue that is opened as soon as that succeeds. Until then nothing is accepted, and everything else goes on.
 * `atOnce`: also where nobody has asked for it yet.
 */
export function openEventually(
  open: () => Promise<Queue>,
  { log, atOnce }: { log: QueueOptions['log']; atOnce: boolean },
): EventualQueue {
  const closing = new AbortController()
  let attempt: Promise<Queue> | undefined

  const tryToOpen = (): Promise<Queue> => {
    attempt ??= open().catch((error) => {
      attempt = undefined
      throw error
    })
    return attempt
  }
  const opening = (async () => {
    while (atOnce && !closing.signal.aborted) {
      try {
        await tryToOpen()
        return
      } catch (error) {
        log.error({ err: error }, 'the queue cannot be opened at the moment: nothing is captured')
        await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  })()

  return {
    async opened() {
      if (closing.signal.aborted) throw new AppError('unavailable', 'The service stops.')
      return await tryToOpen()
    },
    async close() {
      closing.abort()
      await opening
      // Whoever opened it: it may have been someone who asked.
      const queue = await attempt?.catch(() => undefined)
      await queue?.close()
    },
  }
}
