import { randomUUID } from 'node:crypto'
import type { Transaction, Updateable } from 'kysely'
import { hasSecrets } from '../../../contract/options/secrets.ts'
import { optionsOfPage } from '../../../contract/options-of-page.ts'
import type { Attempt, Captured, CaptureKey, CaptureTask, Failed, PutBack } from '../../captures.ts'
import { changeProject, newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'
import { type CaptureCondition, type DueOptions, isDue, isOf } from './due.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { finishIfLast } from './life.ts'
import { countMarks } from './marks.ts'
import { readOptions, readOwnOptions } from './options-text.ts'
import { deleteSecrets, findSecrets } from './secrets.ts'
import { charge } from './turns.ts'

/** Longer than any attempt takes. */
const LONGEST_ATTEMPT_MS = 10 * 60_000

/** Begins an attempt at a capture that is due. `written`: what its project had used when it was chosen. */
export async function begin(
  transaction: Transaction<Tables>,
  key: CaptureKey,
  { now, leaseMs, written, ...which }: DueOptions & { now: number; leaseMs: number; written?: number },
): Promise<CaptureTask | undefined> {
  const uuid = randomUUID()
  const rules = { now, begins: true, ...(written !== undefined && { written }) }
  const begun = await change(transaction, key, isDue(now, which), rules, ({ attempts }) => ({
    state: 'running',
    attempts: attempts + 1,
    attempt: uuid,
    started: now,
    lease: now + leaseMs,
  }))
  if (!begun) return undefined
  const { capture, request } = begun
  const options = optionsOfPage(readOptions(request.options), readOwnOptions(capture.own_options))
  return {
    ...key,
    uuid,
    url: capture.url,
    name: capture.name,
    loadingTime: capture.loading_time,
    options,
    ...(hasSecrets(options) && { sealed: await findSecrets(transaction, key) }),
    attempts: capture.attempts + 1,
    deaths: capture.deaths,
  }
}

/**
 * Ends the capture, deletes its secrets, and adds its job if it succeeded. If it was the last capture of the root, the same transaction finishes
 * the root. It also writes the events of both.
 */
export async function end(
  transaction: Transaction<Tables>,
  attempt: Attempt,
  outcome: Captured | Failed,
  now: number,
): Promise<boolean> {
  const failed = 'reason' in outcome ? outcome : undefined
  const { seen } = outcome
  const ended = await change(transaction, attempt, isOf(attempt), { now, ends: true }, () => ({
    state: failed ? 'failed' : 'done',
    finished: now,
    lease: null,
    reason: failed?.reason ?? null,
    detail: failed?.detail ?? null,
    cut: seen?.marks.includes('cut') ? 1 : 0,
    seen: seen ? JSON.stringify(seen) : null,
  }))
  if (!ended) return false
  await deleteSecrets(transaction, attempt)
  if (seen && seen.marks.length > 0) {
    await transaction
      .updateTable('requests')
      .set({ marks: countMarks(ended.request.marks, [seen]) })
      .where('project_id', '=', attempt.projectId)
      .where('root_id', '=', attempt.rootId)
      .execute()
  }
  if (!('reason' in outcome)) await addJob(transaction, attempt, { ...ended.capture, ...outcome }, now)
  const { position } = attempt
  const events: NewEvent[] = [{ kind: failed ? 'page.failed' : 'page.done', position }]
  if (await finishIfLast(transaction, attempt, now)) events.push({ kind: 'root.finished' })
  await appendEvents(transaction, attempt, events, now)
  return true
}

export async function requeue(
  transaction: Transaction<Tables>,
  attempt: Attempt,
  { now, due, counts, died = false }: PutBack,
): Promise<boolean> {
  const changed = await change(transaction, attempt, isOf(attempt), { now }, ({ attempts, deaths }) => ({
    state: 'queued',
    // So this attempt cannot end the capture any more.
    attempt: null,
    attempts: counts ? attempts : attempts - 1,
    deaths: died ? deaths + 1 : deaths,
    lease: null,
    started: null,
    due,
  }))
  return changed !== undefined
}

/** False if no capture of the root is queued. */
export async function release(
  transaction: Transaction<Tables>,
  { projectId, rootId }: { projectId: string; rootId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('captures')
    .set({ due: 0 })
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Another process took a page of this project at the same time. The next project must be chosen again. */
export class Overtaken extends Error {}

interface ChangeOptions {
  readonly now: number
  readonly begins?: boolean
  readonly ends?: boolean
  readonly written?: number
}

/**
 * Changes a capture if `condition` still holds, and raises the version of its request. Rows are always locked in the same
 * order, so that transactions cannot block each other: the capture, the turns of its project, the request, the root, the
 * project.
 */
async function change(
  transaction: Transaction<Tables>,
  key: CaptureKey,
  condition: CaptureCondition,
  { now, begins = false, ends = false, written }: ChangeOptions,
  set: (before: { attempts: number; deaths: number }) => Updateable<Tables['captures']>,
) {
  // This update only locks the row, so that the values read stay true.
  const capture = await transaction
    .updateTable('captures')
    .set(({ ref }) => ({ changed: ref('changed') }))
    .where('project_id', '=', key.projectId)
    .where('root_id', '=', key.rootId)
    .where('position', '=', key.position)
    .where(condition)
    .returning(['url', 'name', 'loading_time', 'own_options', 'attempts', 'deaths', 'started', 'lease'])
    .executeTakeFirst()
  if (!capture) return undefined
  const elapsed = usedUntil(now, capture)
  const charged = await charge(transaction, key.projectId, {
    ...{ elapsed, begins, ends },
    ...(written !== undefined && { written }),
  })
  if (!charged && written !== undefined) throw new Overtaken()
  const values = set(capture)
  const request = await transaction
    .updateTable('requests')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('project_id', '=', key.projectId)
    .where('root_id', '=', key.rootId)
    .returning(['version', 'options', 'marks'])
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

/**
 * How long the attempt has taken. A lost attempt counts until its lease ended, at most. The limits keep a clock that jumps
 * from taking turns away from a project.
 */
export function usedUntil(
  now: number,
  { started, lease }: Pick<Tables['captures'], 'started' | 'lease'>,
): number {
  if (started === null) return 0
  return Math.min(LONGEST_ATTEMPT_MS, Math.max(0, Math.min(now, lease ?? now) - started))
}

async function addJob(
  transaction: Transaction<Tables>,
  { projectId, rootId, position, uuid }: Attempt,
  {
    url,
    name,
    loading_time,
    width,
    height,
    basepath,
  }: Captured & Pick<Tables['captures'], 'url' | 'name' | 'loading_time'>,
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
  await changeProject(transaction, projectId)
}
