import { randomUUID } from 'node:crypto'
import type { CaptureTask } from '../../../src/store/captures.ts'
import type { DeliveryTask } from '../../../src/store/deliveries.ts'
import type { Store } from '../../../src/store/store.ts'
import type { NewWebhook } from '../../../src/store/webhooks.ts'
import { FAILURE, newRequest, PICTURE } from './captures.ts'

/** An instant. Tests of the store give the time. */
export const NOW = 1_700_000_100_000
export const LIMIT = { most: 20 }

export function newWebhook(projectId: string, more: Partial<NewWebhook> = {}): NewWebhook {
  return {
    projectId,
    webhookId: randomUUID(),
    name: 'Mine',
    url: 'https://example.com/hook',
    events: ['screenshot.done', 'screenshot.failed', 'root.finished'],
    format: 'standard',
    paused: false,
    secrets: [{ sealed: 'sealed' }],
    created: NOW,
    ...more,
  }
}

/** A root whose pages have ended: the events of a capture without a browser. `pages`: whether each succeeded. */
export async function finishRoot(
  { captures }: Pick<Store, 'captures'>,
  projectId: string,
  { pages = [true], now = NOW }: { pages?: readonly boolean[]; now?: number } = {},
): Promise<string> {
  const rootId = await captures.accept(newRequest(projectId, { pages: pages.length, created: now }))
  for (const isDone of pages) {
    const task = (await captures.takeNext({ now, leaseMs: 20_000, rootId })) as CaptureTask
    await captures.finish(task, isDone ? PICTURE : FAILURE, now)
  }
  return rootId
}

/** Makes every event into a delivery. */
export async function spreadAll({ deliveries }: Pick<Store, 'deliveries'>, now = NOW, limit = 100) {
  for (;;) {
    const behind = await deliveries.findBehind(50)
    if (behind.length === 0) return
    for (const key of behind) await deliveries.spread(key, { now, limit })
  }
}

/** Begins all that can be begun now. */
export async function takeDeliveries(
  { deliveries }: Pick<Store, 'deliveries'>,
  now = NOW,
): Promise<DeliveryTask[]> {
  const tasks: DeliveryTask[] = []
  for (;;) {
    const task = await deliveries.takeNext({ now, leaseMs: 60_000 })
    if (!task) return tasks
    tasks.push(task)
  }
}

export const DELIVERED = { state: 'delivered', last: { at: NOW, ms: 5, status: 200, answer: 'ok' } } as const
export const REFUSED = { at: NOW, ms: 5, status: 500, answer: 'no' } as const
