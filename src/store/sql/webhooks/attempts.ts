import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type {
  AttemptEnd,
  DeliveryAttempt,
  DeliveryTask,
  DueWebhook,
  EndedAttempt,
  EndOptions,
  Failing,
  FindDue,
  SwitchOff,
  TakeDeliveries,
} from '../../deliveries.ts'
import type { Attempted, WebhookKey } from '../../webhooks.ts'
import { newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'
import { findNext, noteNextDue, releaseNext } from './order.ts'
import { type DeliveryRow, lockWebhook, toWebhook, type WebhookRow } from './rows.ts'

/** Longer than any pause between two attempts at a delivery. */
const LONGEST_STEP_MS = 10 * 3_600_000

interface Options {
  readonly now: number
  /** Whether rows must be locked. */
  readonly lock: boolean
}

/** Webhooks that have an attempt due, of projects that are shown. */
export async function findDue(db: Kysely<Tables>, { now, after, limit }: FindDue): Promise<DueWebhook[]> {
  let query = db
    .selectFrom('webhooks')
    .select(['project_id', 'webhook_id', 'url', 'turn', 'failing_since'])
    .where('next_due', 'is not', null)
    .where('next_due', '<=', now)
    .where(
      sql<boolean>`not exists (select 1 from projects where projects.project_id = webhooks.project_id
        and projects.removed is not null)`,
    )
    .orderBy('turn')
    .orderBy('webhook_id')
    .limit(limit)
  if (after) query = query.where(sql<boolean>`(turn, webhook_id) > (${after.turn}, ${after.webhookId})`)
  return (await query.execute()).map((row) => ({
    projectId: row.project_id,
    webhookId: row.webhook_id,
    url: row.url,
    turn: row.turn,
    isFailing: row.failing_since !== null,
  }))
}

/** Begins the next attempts at deliveries of one webhook, of each root one. */
export async function take(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  { now, leaseMs, most, lock }: TakeDeliveries & Options,
): Promise<DeliveryTask[]> {
  // One that another process works on is skipped: that takes milliseconds, and there are others.
  const webhook = await lockWebhook(transaction, key, lock && 'skip')
  if (webhook?.paused !== 0 || webhook.off_since !== null) return []
  const next = await findNext(transaction, key.webhookId, most + 1)
  const rows = oneOfEachRoot(next.filter(({ due }) => due !== null && due <= now)).slice(0, most)
  if (rows.length === 0) {
    await noteNextDue(transaction, webhook)
    return []
  }
  const attempt = randomUUID()
  await transaction
    .updateTable('deliveries')
    .set(({ eb }) => ({ attempt, lease: now + leaseMs, attempts: eb('attempts', '+', 1) }))
    .where(
      'delivery_id',
      'in',
      rows.map(({ delivery_id }) => delivery_id),
    )
    .execute()
  const rootIds = rows.flatMap(({ root_id }) => root_id ?? [])
  await releaseNext(transaction, { webhookId: key.webhookId, rootIds, now })
  const left = next.find(
    (row) => !rows.includes(row) && (row.root_id === null || !rootIds.includes(row.root_id)),
  )
  await noteNextDue(transaction, webhook, { takesTurn: true, next: left })
  const shown = toWebhook(webhook)
  return rows.map((row) => ({
    ...key,
    deliveryId: row.delivery_id,
    attempt,
    event: row.event,
    rootId: row.root_id ?? undefined,
    position: row.position ?? undefined,
    created: row.created,
    attempts: row.attempts + 1,
    webhook: shown,
  }))
}

/** Tests are of no root, and do not wait for each other. */
function oneOfEachRoot(rows: readonly DeliveryRow[]): DeliveryRow[] {
  const seen = new Set<string>()
  return rows.filter(({ root_id }) => {
    const isFirst = root_id === null || !seen.has(root_id)
    if (root_id !== null) seen.add(root_id)
    return isFirst
  })
}

/** Ends attempts at deliveries of one webhook. False for each that is not the last one any more. */
export async function end(
  transaction: Transaction<Tables>,
  key: WebhookKey,
  ends: readonly EndedAttempt[],
  { now, lock, offIf }: Options & EndOptions,
): Promise<({ switchedOff: SwitchOff | undefined } | false)[]> {
  const before = await lockWebhook(transaction, key, lock)
  if (!before) return ends.map(() => false)
  let webhook: WebhookRow = before
  const results: ({ switchedOff: SwitchOff | undefined } | false)[] = []
  const delivered = await writeDelivered(transaction, ends, now)
  for (const { attempt, how } of ends) {
    const isWritten =
      how.state === 'delivered'
        ? delivered.has(attempt.deliveryId)
        : await write(transaction, attempt, how, now)
    if (!isWritten) {
      results.push(false)
      continue
    }
    webhook = { ...webhook, ...failingAfter(webhook, how, now) }
    const off = webhook.off_since === null ? offIf?.(how, toFailing(webhook)) : undefined
    if (off) {
      await switchOff(transaction, key, off, now)
      webhook = { ...webhook, off_since: now }
    }
    results.push({ switchedOff: off })
  }
  const { failing_since, failing_ms, last_failed } = webhook
  await noteNextDue(transaction, webhook, { failing_since, failing_ms, last_failed })
  return results
}

/** Those that were delivered, by one statement for all that were taken together. Returns their ids. */
async function writeDelivered(
  transaction: Transaction<Tables>,
  ends: readonly EndedAttempt[],
  now: number,
): Promise<Set<string>> {
  const all = ends.flatMap(({ attempt, how }) =>
    how.state === 'delivered' ? { attempt, last: how.last } : [],
  )
  const written = new Set<string>()
  for (const [attempt, some] of Map.groupBy(all, (one) => one.attempt.attempt)) {
    const each = (type: 'bigint' | 'text', value: (last: Attempted) => string | number | undefined) =>
      sql`case delivery_id ${sql.join(
        some.map(
          (one) =>
            sql`when ${one.attempt.deliveryId} then cast(${value(one.last) ?? null} as ${sql.raw(type)})`,
        ),
        sql` `,
      )} end`
    const { rows } = await sql<{ delivery_id: string }>`update deliveries
      set attempt = null, lease = null, due = null, state = 'delivered', finished = ${now},
        last_at = ${each('bigint', ({ at }) => at)}, last_ms = ${each('bigint', ({ ms }) => ms)},
        last_status = ${each('bigint', ({ status }) => status)}, last_answer = ${each('text', ({ answer }) => answer)},
        last_problem = null
      where attempt = ${attempt} and finished is null
        and delivery_id in (${sql.join(some.map((one) => one.attempt.deliveryId))})
      returning delivery_id`.execute(transaction)
    for (const { delivery_id } of rows) written.add(delivery_id)
  }
  return written
}

async function write(
  transaction: Transaction<Tables>,
  { deliveryId, attempt }: DeliveryAttempt,
  how: AttemptEnd,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('deliveries')
    .set(({ eb }) => ({
      attempt: null,
      lease: null,
      ...(how.state === 'put_back' && { attempts: eb('attempts', '-', 1) }),
      ...(how.state === 'pending' && { due: now + how.pauseMs, since: now }),
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
    .where('delivery_id', '=', deliveryId)
    .where('attempt', '=', attempt)
    .where('finished', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function switchOff(
  transaction: Transaction<Tables>,
  { webhookId }: WebhookKey,
  { reason, detail }: SwitchOff,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ off_since: now, off_reason: reason, off_detail: detail, changed: now, revision: newRevision() })
    .where('webhook_id', '=', webhookId)
    .execute()
}

type FailingColumns = Pick<WebhookRow, 'failing_since' | 'failing_ms' | 'last_failed'>

const NEVER: FailingColumns = { failing_since: null, failing_ms: 0, last_failed: null }

/**
 * How long every attempt has failed is added up from one failed attempt to the next. No step counts for more than the longest
 * pause, whatever the clock says, so one jump of the clock is never a week. Time without attempts does not count either.
 */
function failingAfter(before: FailingColumns, how: AttemptEnd, now: number): FailingColumns {
  if (how.state === 'delivered') return NEVER
  const { failing_since, failing_ms, last_failed } = before
  if (!('last' in how)) return { failing_since, failing_ms, last_failed }
  const step = last_failed === null ? 0 : Math.min(Math.max(0, now - last_failed), LONGEST_STEP_MS)
  return { failing_since: failing_since ?? how.last.at, failing_ms: failing_ms + step, last_failed: now }
}

function toFailing({ failing_since: since, failing_ms: ms }: FailingColumns): Failing | undefined {
  return since === null ? undefined : { since, ms }
}
