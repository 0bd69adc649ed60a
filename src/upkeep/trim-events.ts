import { setTimeout as sleep } from 'node:timers/promises'
import type { Events } from '../store/events.ts'

/** Whoever tells others of them has done so long before. */
const KEPT_MS = 7 * 24 * 3_600_000
/** Of one project. */
const MOST = 100_000
/** In one transaction. */
const AT_ONCE = 1_000

/** So that the outbox does not grow without end, also where nobody reads it. */
export async function trimEvents(
  events: Pick<Events, 'trim'>,
  { now, pauseMs, signal }: { now: number; pauseMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const trimmed = await events.trim({ before: now - KEPT_MS, most: MOST, limit: AT_ONCE })
    if (trimmed === 0) return
    await sleep(pauseMs)
  }
}
