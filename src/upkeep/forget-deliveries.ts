import { setTimeout as sleep } from 'node:timers/promises'
import type { Deliveries } from '../store/deliveries.ts'

/** In one transaction. */
const AT_ONCE = 200

/** How long deliveries are kept, and how many of a webhook. */
export interface KeptDeliveries {
  readonly keepMs: number
  readonly mostDeliveries: number
}

/** So that the list of deliveries does not grow without end. Also drops what a killed process has left pending. */
export async function forgetDeliveries(
  deliveries: Pick<Deliveries, 'forget' | 'dropPending'>,
  { keepMs, mostDeliveries }: KeptDeliveries,
  { now, pauseMs, signal }: { now: number; pauseMs: number; signal: AbortSignal },
): Promise<void> {
  const steps = [
    () => deliveries.dropPending({ now, limit: AT_ONCE }),
    () => deliveries.forget({ before: now - keepMs, most: mostDeliveries, limit: AT_ONCE }),
  ]
  for (const step of steps) {
    while (!signal.aborted && (await step()) > 0) await sleep(pauseMs)
  }
}
