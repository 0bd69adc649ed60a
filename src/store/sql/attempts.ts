import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder, ExpressionWrapper, SqlBool, Transaction, Updateable } from 'kysely'
import type { Attempt, Captured, CaptureKey, CaptureTask, Failed } from '../captures.ts'
import { addMarks } from './marks.ts'
import { newRevision } from './revision.ts'
import type { Schema } from './schema.ts'

/** Of a request, and of its captures, that nothing has happened to. */
export const FIRST_VERSION = 1

type Condition = (eb: ExpressionBuilder<Schema, 'captures'>) => ExpressionWrapper<Schema, 'captures', SqlBool>

/** Queued and due, or begun by someone who has not renewed it since. `held`: also what is held for its first attempt. */
export function isDue(now: number, { held }: { held: boolean }): Condition {
  return (eb) =>
    eb.and([
      eb('finished', 'is', null),
      eb.or([
        eb.and([
          eb('state', '=', 'queued'),
          // To what is held nothing has happened yet; what was put back has its time, whoever asks.
          held ? eb.or([eb('due', '<=', now), eb('changed', '=', FIRST_VERSION)]) : eb('due', '<=', now),
        ]),
        eb.and([eb('state', '=', 'running'), eb('lease', '<', now)]),
      ]),
    ])
}

export const isUnfinished: Condition = (eb) => eb.and([eb('finished', 'is', null)])

/** Of this attempt, and of none that began after it. */
export function isOf({ uuid }: Attempt): Condition {
  return (eb) => eb.and([eb('attempt', '=', uuid), eb('finished', 'is', null)])
}

/** The capture that comes next. */
export async function findDue(
  transaction: Transaction<Schema>,
  now: number,
  rootId: string | undefined,
): Promise<CaptureKey | undefined> {
  let query = transaction
    .selectFrom('captures')
    .select(['project_id', 'root_id', 'position'])
    .where(isDue(now, { held: rootId !== undefined }))
    .orderBy('turn')
    .orderBy('queued')
    .orderBy('position')
    .limit(1)
  if (rootId !== undefined) query = query.where('root_id', '=', rootId)
  const row = await query.executeTakeFirst()
  return row && { projectId: row.project_id, rootId: row.root_id, position: row.position }
}

/** Begins an attempt where `condition` holds. */
export async function begin(
  transaction: Transaction<Schema>,
  key: CaptureKey,
  condition: Condition,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<CaptureTask | undefined> {
  const uuid = randomUUID()
  const begun = await change(transaction, key, condition, ({ attempts }) => ({
    state: 'running',
    attempts: attempts + 1,
    attempt: uuid,
    started: now,
    lease: now + leaseMs,
  }))
  if (!begun) return undefined
  const { capture, request } = begun
  return {
    ...key,
    uuid,
    url: capture.url,
    name: capture.name,
    loadingTime: capture.loading_time,
    width: request.width,
    height: request.height,
    fullPage: request.full_page === 1,
    failOnStatus: request.fail_on === 'status',
    attempts: capture.attempts + 1,
  }
}

/** Ends the capture with its result, which is in the answers from then on, or without one. */
export async function end(
  transaction: Transaction<Schema>,
  attempt: Attempt,
  outcome: Captured | Failed,
  now: number,
): Promise<boolean> {
  const failed = 'reason' in outcome ? outcome : undefined
  const { seen } = outcome
  const ended = await change(transaction, attempt, isOf(attempt), () => ({
    state: failed ? 'failed' : 'done',
    finished: now,
    lease: null,
    reason: failed?.reason ?? null,
    detail: failed?.detail ?? null,
    cut: seen?.marks.includes('cut') ? 1 : 0,
    seen: seen ? JSON.stringify(seen) : null,
  }))
  if (!ended) return false
  if (seen && seen.marks.length > 0) {
    await transaction
      .updateTable('requests')
      .set({ marks: addMarks(ended.request.marks, [seen]) })
      .where('project_id', '=', attempt.projectId)
      .where('root_id', '=', attempt.rootId)
      .execute()
  }
  if (!('reason' in outcome)) await addJob(transaction, attempt, { ...ended.capture, ...outcome }, now)
  return true
}

export async function requeue(
  transaction: Transaction<Schema>,
  attempt: Attempt,
  { due, counts }: { due: number; counts: boolean },
): Promise<void> {
  await change(transaction, attempt, isOf(attempt), ({ attempts }) => ({
    state: 'queued',
    // A late one must not end it any more.
    attempt: null,
    attempts: counts ? attempts : attempts - 1,
    lease: null,
    started: null,
    due,
  }))
}

export async function release(
  transaction: Transaction<Schema>,
  { projectId, rootId }: { projectId: string; rootId: string },
): Promise<void> {
  await transaction
    .updateTable('captures')
    .set({ due: 0 })
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('state', '=', 'queued')
    .execute()
}

/**
 * Changes a capture where `condition` still holds, and counts that as one more thing that happened to its request.
 * The row of the request is locked last of the two and before any other, always: nobody waits in a circle.
 */
async function change(
  transaction: Transaction<Schema>,
  key: CaptureKey,
  condition: Condition,
  set: (before: { attempts: number }) => Updateable<Schema['captures']>,
) {
  // Locks the row, so that what is read stays true.
  const capture = await transaction
    .updateTable('captures')
    .set(({ ref }) => ({ changed: ref('changed') }))
    .where('project_id', '=', key.projectId)
    .where('root_id', '=', key.rootId)
    .where('position', '=', key.position)
    .where(condition)
    .returning(['url', 'name', 'loading_time', 'attempts'])
    .executeTakeFirst()
  if (!capture) return undefined
  const values = set(capture)
  const request = await transaction
    .updateTable('requests')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('project_id', '=', key.projectId)
    .where('root_id', '=', key.rootId)
    .returning(['version', 'width', 'height', 'full_page', 'fail_on', 'marks'])
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('captures')
    .set({ ...values, changed: request.version })
    .where('project_id', '=', key.projectId)
    .where('root_id', '=', key.rootId)
    .where('position', '=', key.position)
    .execute()
  return { capture, request }
}

async function addJob(
  transaction: Transaction<Schema>,
  { projectId, rootId, position, uuid }: Attempt,
  {
    url,
    name,
    loading_time,
    width,
    height,
    basepath,
  }: Captured & Pick<Schema['captures'], 'url' | 'name' | 'loading_time'>,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('jobs')
    .values({
      project_id: projectId,
      root_id: rootId,
      position,
      uuid,
      url,
      name,
      loading_time,
      created: now,
      basepath,
      width,
      height,
    })
    .execute()
  await transaction
    .updateTable('roots')
    .set(({ eb }) => ({ job_count: eb('job_count', '+', 1), revision: newRevision() }))
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .execute()
  await transaction
    .updateTable('projects')
    .set({ revision: newRevision() })
    .where('project_id', '=', projectId)
    .execute()
}
