import { setTimeout as sleep } from 'node:timers/promises'
import type { EndedSessions } from '../store/ended-sessions.ts'

/** The cookie of a session is valid for 30 days (`access/sessions.ts`). The rest is for clocks that jump. */
const DAYS = 45
/** In one transaction. */
const AT_ONCE = 200

/** So that the sessions that people have signed out of do not grow without end. */
export async function forgetSessions(
  sessions: Pick<EndedSessions, 'forget'>,
  { now, pauseMs, signal }: { now: number; pauseMs: number; signal: AbortSignal },
): Promise<void> {
  const options = { now, days: DAYS, limit: AT_ONCE }
  while (!signal.aborted && (await sessions.forget(options)) > 0) await sleep(pauseMs)
}
