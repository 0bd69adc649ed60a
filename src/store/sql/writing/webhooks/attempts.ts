import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type {
  AttemptEnd,
  DeliveryAttempt,
  DeliveryTask,
  EndOptions,
  SwitchOff,
  TakeDelivery,
} from '../../../deliveries.ts'
import type { Tables } from '../../tables.ts'
import { newRevision } from '../revision.ts'
import { findNext, noteNextDue, releaseNext } from './order.ts'
import { type DeliveryRow, lockWebhook, toWebhook, type WebhookRow } from './rows.ts'

interface Options {
  readonly now: number
  /** Whether rows must be locked. */
  readonly lock: boolean
}

/** Begins the next attempt. `again`: its webhook had nothing to begin after all, and another may have. */
export async function takeNext(
  transaction: Transaction<Tables>,
  { now, leaseMs, except = [], healthyOnly = false, lock }: TakeDelivery & Options,
): Promise<DeliveryTask | 'again' | undefined> {
  const webhook = await findDueWebhook(transaction, { now, except, healthyOnly, lock })
  if (!webhook) return undefined
  const delivery = await findNext(transaction, webhook.webhook_id)
  if (delivery?.due === undefined || delivery.due === null || delivery.due > now) {
    await noteNextDue(transaction, webhook)
    return 'again'
  }
  return await begin(transaction, { webhook, delivery }, { now, leaseMs })
}

/** Locks its row. Webhooks that another process works on are skipped: that takes milliseconds, and there are others. */
async function findDueWebhook(
  transaction: Transaction<Tables>,
  { now, except, healthyOnly, lock }: Options & { except: readonly string[]; healthyOnly: boolean },
): Promise<WebhookRow | undefined> {
  let query = transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('next_due', 'is not', null)
    .where('next_due', '<=', now)
    .where(
      sql<boolean>`not exists (select 1 from projects where projects.project_id = webhooks.project_id
        and projects.removed is not null)`,
    )
    .orderBy('turn')
    .orderBy('webhook_id')
    .limit(1)
  if (except.length > 0) query = query.where('webhook_id', 'not in', except)
  if (healthyOnly) query = query.where('failing_since', 'is', null)
  if (lock) query = query.forUpdate().skipLocked()
  return await query.executeTakeFirst()
}

async function begin(
  transaction: Transaction<Tables>,
  { webhook, delivery }: { webhook: WebhookRow; delivery: DeliveryRow },
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<DeliveryTask> {
  const attempt = randomUUID()
  const { delivery_id: deliveryId, webhook_id: webhookId, root_id: rootId } = delivery
  await transaction
    .updateTable('deliveries')
    .set({ attempt, lease: now + leaseMs, attempts: delivery.attempts + 1 })
    .where('delivery_id', '=', deliveryId)
    .execute()
  if (rootId !== null) await releaseNext(transaction, { webhookId, rootId, now })
  await noteNextDue(transaction, webhook, { turn: Math.max(now, webhook.turn + 1) })
  return {
    projectId: delivery.project_id,
    webhookId,
    deliveryId,
    attempt,
    event: delivery.event,
    rootId: rootId ?? undefined,
    position: delivery.position ?? undefined,
    created: delivery.created,
    attempts: delivery.attempts + 1,
    webhook: toWebhook(webhook),
  }
}

/** False if the attempt is not the last one any more. */
export async function end(
  transaction: Transaction<Tables>,
  task: DeliveryAttempt,
  how: AttemptEnd,
  { now, lock, offIf }: Options & EndOptions,
): Promise<{ switchedOff: SwitchOff | undefined } | false> {
  const webhook = await lockWebhook(transaction, task, lock)
  if (!webhook) return false
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set(({ eb }) => ({
      attempt: null,
      lease: null,
      ...(how.state === 'put_back' && { attempts: eb('attempts', '-', 1) }),
      ...(how.state === 'pending' && { due: how.due }),
      ...(how.state !== 'put_back' &&
        how.state !== 'pending' && { due: null, state: how.state, finished: now }),
      ...('last' in how && {
        last_at: how.last.at,
        last_ms: how.last.ms,
        last_status: how.last.status ?? null,
        last_answer: how.last.answer ?? null,
        last_problem: how.last.problem ?? null,
      }),
    }))
    .where('delivery_id', '=', task.deliveryId)
    .where('attempt', '=', task.attempt)
    .where('finished', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  const failingSince = failingAfter(webhook, how)
  const off = webhook.off_since === null ? offIf?.(failingSince ?? undefined) : undefined
  if (off) await switchOff(transaction, task, off, now)
  const offSince = off ? now : webhook.off_since
  await noteNextDue(transaction, { ...webhook, off_since: offSince }, { failing_since: failingSince })
  return { switchedOff: off }
}

async function switchOff(
  transaction: Transaction<Tables>,
  { webhookId }: DeliveryAttempt,
  { reason, detail }: SwitchOff,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ off_since: now, off_reason: reason, off_detail: detail, changed: now, revision: newRevision() })
    .where('webhook_id', '=', webhookId)
    .execute()
}

function failingAfter({ failing_since }: WebhookRow, how: AttemptEnd): number | null {
  if (how.state === 'delivered') return null
  return 'last' in how ? (failing_since ?? how.last.at) : failing_since
}

/** Their processes are dead, or stood still for too long. They can be begun again at once. */
export async function giveBackLost(
  transaction: Transaction<Tables>,
  { now, lock }: Options,
): Promise<number> {
  const find = transaction
    .selectFrom('deliveries')
    .select(['project_id', 'webhook_id'])
    .distinct()
    .where('lease', 'is not', null)
    .where('lease', '<', now)
    .limit(1)
  const [lost] = await find.execute()
  if (!lost) return 0
  const key = { projectId: lost.project_id, webhookId: lost.webhook_id }
  const webhook = await lockWebhook(transaction, key, lock)
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set({ attempt: null, lease: null })
    .where('webhook_id', '=', lost.webhook_id)
    .where('lease', 'is not', null)
    .where('lease', '<', now)
    .executeTakeFirst()
  if (webhook) await noteNextDue(transaction, webhook)
  return Number(numUpdatedRows)
}
