import { randomUUID } from 'node:crypto'
import type { CaptureTask } from '../../../src/store/captures.ts'
import type { AttemptEnd, DeliveryTask, Ended, EndOptions } from '../../../src/store/deliveries.ts'
import type { Store } from '../../../src/store/store.ts'
import type { NewWebhook } from '../../../src/store/webhooks.ts'
import { FAILURE, newRequest, PICTURE } from './captures.ts'

/** A fixed time. Tests of the store give the time. */
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

/** A root whose pages have ended: the events of captures without a browser. `pages`: whether each succeeded. */
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
    const behind = await deliveries.findBehind({ limit: 50 })
    if (behind.length === 0) return
    for (const key of behind) await deliveries.spread(key, { now, limit })
  }
}

/** Begins every delivery that can begin now, or the first of them, in turns of webhooks. */
export async function takeDeliveries(
  { deliveries }: Pick<Store, 'deliveries'>,
  now = NOW,
  most = 100,
): Promise<DeliveryTask[]> {
  const tasks: DeliveryTask[] = []
  for (;;) {
    const due = await deliveries.findDue({ now, limit: 100 })
    const before = tasks.length
    for (const { projectId, webhookId } of due) {
      const left = most - tasks.length
      if (left > 0)
        tasks.push(...(await deliveries.take({ projectId, webhookId }, { now, leaseMs: 60_000, most: left })))
    }
    if (tasks.length === before) return tasks
  }
}

/** Ends one attempt. */
export async function endOne(
  { deliveries }: Pick<Store, 'deliveries'>,
  attempt: DeliveryTask,
  how: AttemptEnd,
  options: EndOptions,
): Promise<Ended | undefined> {
  const [ended] = await deliveries.end([{ attempt, how }], options)
  return ended
}

export const DELIVERED = { state: 'delivered', last: { at: NOW, ms: 5, status: 200, answer: 'ok' } } as const
export const REFUSED = { at: NOW, ms: 5, status: 500, answer: 'no' } as const
