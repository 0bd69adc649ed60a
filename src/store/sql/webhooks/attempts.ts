import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type {
  AttemptEnd,
  DeliveryAttempt,
  DeliveryTask,
  DueWebhook,
  Ended,
  EndedAttempt,
  EndOptions,
  Failing,
} from '../../deliveries.ts'
import type { Attempted, WebhookKey } from '../../webhooks.ts'
import { type Database, type Transaction, update } from '../database.ts'
import { newRevision } from '../projects/projects.ts'
import {
  type DeliveryRow,
  findNext,
  lockWebhook,
  noteNextDue,
  releaseNext,
  toWebhook,
  type WebhookRow,
} from './rows.ts'

/** Longer than any pause between two attempts at a delivery. */
const LONGEST_STEP_MS = 10 * 3_600_000

export function createDeliveryAttempts(db: Database) {
  return {
    /** Webhooks of projects that are shown that have an attempt due, by turn, after `after`. */
    async findDue(page: {
      now: number
      after?: DueWebhook | undefined
      limit: number
    }): Promise<DueWebhook[]> {
      const now = await db.timeAt(page.now)
      let query = db.read
        .selectFrom('webhooks')
        .select(['project_id as projectId', 'webhook_id as webhookId', 'url', 'turn', 'failing_since'])
        .where('next_due', 'is not', null)
        .where('next_due', '<=', now)
        .where(
          sql<boolean>`not exists (select 1 from projects where projects.project_id = webhooks.project_id
            and projects.removed is not null)`,
        )
        .orderBy('turn')
        .orderBy('webhook_id')
        .limit(page.limit)
      const { after } = page
      if (after) query = query.where(sql<boolean>`(turn, webhook_id) > (${after.turn}, ${after.webhookId})`)
      return (await query.execute()).map(({ failing_since, ...webhook }) => ({
        ...webhook,
        isFailing: failing_since !== null,
      }))
    },

    /**
     * Begins attempts at deliveries of a webhook, of each root one. Nothing if another process does that in this moment: that takes
     * milliseconds, and there are others.
     */
    async take(
      key: WebhookKey,
      { now: at, leaseMs, most }: { now: number; leaseMs: number; most: number },
    ): Promise<DeliveryTask[]> {
      const now = await db.timeAt(at)
      return await db.transaction(async (transaction) => {
        const webhook = await lockWebhook(transaction, key, { skip: true })
        if (webhook?.paused !== 0 || webhook.off_since !== null) return []
        const next = await findNext(transaction, key.webhookId, most + 1)
        const rows = oneOfEachRoot(next.filter(({ due }) => due !== null && due <= now)).slice(0, most)
        if (rows.length === 0) {
          await noteNextDue(transaction, webhook)
          return []
        }
        const attempt = randomUUID()
        const ids = rows.map(({ delivery_id }) => delivery_id)
        await transaction
          .updateTable('deliveries')
          .set(({ eb }) => ({ attempt, lease: now + leaseMs, attempts: eb('attempts', '+', 1) }))
          .where('delivery_id', 'in', ids)
          .execute()
        const rootIds = rows.flatMap(({ root_id }) => root_id ?? [])
        await releaseNext(transaction, { webhookId: key.webhookId, rootIds, now })
        const left = next.find(
          (row) => !rows.includes(row) && (row.root_id === null || !rootIds.includes(row.root_id)),
        )
        await noteNextDue(transaction, webhook, { takesTurn: true, next: left })
        const shown = toWebhook(webhook)
        return rows.map((row) => ({
          ...{ ...key, deliveryId: row.delivery_id, attempt, event: row.event, created: row.created },
          ...{ rootId: row.root_id ?? undefined, position: row.position ?? undefined },
          ...{ attempts: row.attempts + 1, webhook: shown },
        }))
      })
    },

    /**
     * Ends attempts, all in one transaction. If a webhook is switched off, it is in the same transaction, so that nothing more is
     * begun. Its pending deliveries are dropped later.
     */
    async end(ends: readonly EndedAttempt[], { now: at, offIf }: EndOptions): Promise<Ended[]> {
      const now = await db.timeAt(at)
      const byWebhook = Map.groupBy(ends, ({ attempt }) => attempt.webhookId)
      return await db.transaction(async (transaction) => {
        const results = new Map<EndedAttempt, Ended>()
        // In the order of their ids, so that two processes cannot block each other.
        for (const webhookId of [...byWebhook.keys()].toSorted())
          await endAll(transaction, byWebhook.get(webhookId) ?? [], { now, offIf }, results)
        return ends.map((one) => results.get(one) ?? false)
      })
    },
  }
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

/** Ends attempts at deliveries of one webhook, and adds the results of those that were the last ones. */
async function endAll(
  transaction: Transaction,
  ends: readonly EndedAttempt[],
  { now, offIf }: EndOptions,
  results: Map<EndedAttempt, Ended>,
): Promise<void> {
  const [first] = ends
  const before = first && (await lockWebhook(transaction, first.attempt))
  if (!before) return
  const { failing_since, failing_ms, last_failed } = before
  let changes: FailingColumns & Partial<WebhookRow> = { failing_since, failing_ms, last_failed }
  const delivered = await writeDelivered(transaction, ends, now)
  for (const one of ends) {
    const { attempt, how } = one
    const isWritten =
      how.state === 'delivered'
        ? delivered.has(attempt.deliveryId)
        : await write(transaction, attempt, how, now)
    if (!isWritten) continue
    changes = { ...changes, ...failingAfter(changes, how, now) }
    const isOn = (changes.off_since ?? before.off_since) === null
    const off = isOn ? offIf?.(how, toFailing(changes)) : undefined
    if (off) {
      const { reason: off_reason, detail: off_detail } = off
      changes = { ...changes, off_since: now, off_reason, off_detail, changed: now, revision: newRevision() }
    }
    results.set(one, { switchedOff: off })
  }
  await noteNextDue(transaction, { ...before, ...changes }, changes)
}

/** Those that were delivered, by one statement for all that were taken together. Returns their ids. */
async function writeDelivered(
  transaction: Transaction,
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
  transaction: Transaction,
  { deliveryId, attempt }: DeliveryAttempt,
  how: AttemptEnd,
  now: number,
): Promise<boolean> {
  const ended = {
    attempt: null,
    lease: null,
    ...(how.state === 'put_back' && { attempts: sql<number>`attempts - 1` }),
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
  }
  const isLast = sql<boolean>`delivery_id = ${deliveryId} and attempt = ${attempt} and finished is null`
  return await update(transaction, 'deliveries', ended, isLast)
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
