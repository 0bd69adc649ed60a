import type { AttemptEnd, Failing } from '../../deliveries.ts'
import type { WebhookRow } from './rows.ts'

/** Longer than any pause between two attempts at a delivery. */
const LONGEST_STEP_MS = 10 * 3_600_000

type FailingColumns = Pick<WebhookRow, 'failing_since' | 'failing_ms' | 'last_failed'>

const NEVER: FailingColumns = { failing_since: null, failing_ms: 0, last_failed: null }

/**
 * How long every attempt has failed is added up from one failed attempt to the next. No step counts for more than the longest
 * pause, whatever the clock says, so one jump of the clock is never a week. Time without attempts does not count either.
 */
export function failingAfter(before: FailingColumns, how: AttemptEnd, now: number): FailingColumns {
  if (how.state === 'delivered') return NEVER
  const { failing_since, failing_ms, last_failed } = before
  if (!('last' in how)) return { failing_since, failing_ms, last_failed }
  const step = last_failed === null ? 0 : Math.min(Math.max(0, now - last_failed), LONGEST_STEP_MS)
  return { failing_since: failing_since ?? how.last.at, failing_ms: failing_ms + step, last_failed: now }
}

export function toFailing({ failing_since: since, failing_ms: ms }: FailingColumns): Failing | undefined {
  return since === null ? undefined : { since, ms }
}
