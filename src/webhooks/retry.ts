import type { AttemptEnd, Failing, SwitchOff } from '../store/deliveries.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** The pauses after each attempt that failed: about a day in all. After the last attempt the delivery is given up. */
export const RETRY_PAUSES: readonly number[] = [
  ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR],
]

/** If every attempt has failed for this long, the webhook is switched off. */
const OFF_AFTER_MS = 7 * 24 * HOUR
/** The status of a receiver that wants no more deliveries. */
export const GONE = 410

/** A pause is longer or shorter by up to this part of it, so that many deliveries do not come at the same instant. */
const JITTER = 0.2
/** A receiver may ask for a longer pause, but not for more than this. */
const LONGEST_ASKED_MS = 8 * HOUR

/** How long to wait before the next attempt. Undefined: it was the last. */
export function pauseAfter(attempts: number, pauses: readonly number[], askedMs = 0): number | undefined {
  const pause = pauses[attempts - 1]
  if (pause === undefined) return undefined
  const jittered = Math.round(pause * (1 - JITTER + 2 * JITTER * Math.random()))
  return Math.max(jittered, Math.min(askedMs, LONGEST_ASKED_MS))
}

/** The header `Retry-After`: seconds, or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now
  return ms > 0 ? ms : undefined
}

export function offAfter(
  how: AttemptEnd,
  failing: Failing | undefined,
  offAfterMs = OFF_AFTER_MS,
): SwitchOff | undefined {
  if (how.state !== 'failed' && how.state !== 'pending') return undefined
  if (how.last.status === GONE)
    return { reason: 'gone', detail: 'It answered 410: the receiver wants no more deliveries.' }
  if (!failing || failing.ms < offAfterMs) return undefined
  const since = new Date(failing.since).toISOString()
  return { reason: 'failing', detail: `Every attempt has failed since ${since}.` }
}
