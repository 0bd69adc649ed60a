import type { Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest, RootProgress } from '../../captures.ts'
import { writeInSlices } from '../in-slices.ts'
import { unknownProject } from '../projects/projects.ts'
import { noteLastRoot } from '../projects/templates.ts'
import { changeProject, newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'
import { FIRST_VERSION } from './due.ts'
import { outcomeOf } from './life.ts'
import { countMarks, marksOf, NO_MARKS } from './marks.ts'
import { writeOptions, writeOwnOptions } from './options-text.ts'
import { writeOrigin } from './origin.ts'
import { keepSecrets } from './secrets.ts'

/** The root of a request is shown at once, without jobs. It has no claim. */
const SHOWN = { job_count: 0, claimed: null, claimers: 0 } as const

/** The root of the same request, if it was accepted before. Throws `conflict` if its key belongs to another request. */
export async function findAccepted(
  transaction: Transaction<Tables>,
  { projectId, idempotencyKey, digest, olderDigests = [] }: NewRequest,
): Promise<string | undefined> {
  if (idempotencyKey === undefined) return undefined
  const found = await transaction
    .selectFrom('requests')
    .innerJoin('roots', (join) =>
      join
        .onRef('roots.project_id', '=', 'requests.project_id')
        .onRef('roots.root_id', '=', 'requests.root_id'),
    )
    .select(['roots.root_id', 'roots.digest'])
    .where('requests.project_id', '=', projectId)
    .where('requests.idempotency_key', '=', idempotencyKey)
    .executeTakeFirst()
  if (found && ![digest, ...olderDigests].includes(found.digest)) {
    throw new AppError('conflict', 'this Idempotency-Key was used for a different request: use a new key')
  }
  return found?.root_id
}

/** False if another request with the same key was faster. Then the transaction must be rolled back. */
export async function addRequest(
  transaction: Transaction<Tables>,
  request: NewRequest,
  { begun }: Pick<Tables['requests'], 'begun'>,
): Promise<boolean> {
  const { projectId, rootId, created, digest } = request
  await transaction
    .insertInto('roots')
    .values({ project_id: projectId, root_id: rootId, created, digest, revision: newRevision(), ...SHOWN })
    .execute()
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('requests')
    .values({
      project_id: projectId,
      root_id: rootId,
      idempotency_key: request.idempotencyKey ?? null,
      options: writeOptions(request.options),
      version: FIRST_VERSION,
      marks: NO_MARKS,
      ...writeOrigin(request.origin),
      // Only roots that were scheduled have it.
      begun: request.origin?.scheduled === undefined ? null : begun,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return false
  // The project is locked after the template: its removal does so, too.
  await noteLastRoot(transaction, request)
  if (!(await changeProject(transaction, projectId))) throw unknownProject(projectId)
  return true
}

/** Does nothing if the request is there already. */
export async function adoptRequest(
  transaction: Transaction<Tables>,
  projectId: string,
  rootId: string,
  { idempotencyKey, origin, options, version, finished, captures }: RootProgress,
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('requests')
    .values({
      project_id: projectId,
      root_id: rootId,
      idempotency_key: idempotencyKey ?? null,
      options: writeOptions(options),
      version,
      marks: countMarks(NO_MARKS, captures.map(marksOf)),
      ...writeOrigin(origin),
      finished: finished?.at ?? Math.max(0, ...captures.map((capture) => capture.finished ?? 0)),
      outcome: finished?.outcome ?? outcomeOf(captures.map(({ state }) => state)),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return
  // A new revision: the root was shown before, but now it can be found by its tags.
  await changeProject(transaction, projectId)
  const rows = captures.map((capture) => ({
    project_id: projectId,
    root_id: rootId,
    position: capture.position,
    url: capture.url,
    name: capture.name,
    loading_time: capture.loadingTime,
    own_options: writeOwnOptions(capture.ownOptions),
    state: capture.state,
    turn: 0,
    attempts: capture.attempts,
    deaths: 0,
    attempt: capture.uuid ?? null,
    due: 0,
    queued: capture.queued,
    started: capture.started ?? null,
    finished: capture.finished ?? null,
    reason: capture.failed?.reason ?? null,
    detail: capture.failed?.detail ?? null,
    cut: capture.cut ? 1 : 0,
    seen: capture.seen ? JSON.stringify(capture.seen) : null,
    changed: capture.changed,
  }))
  if (rows.length > 0) await transaction.insertInto('captures').values(rows).execute()
}

/** Queues the pages after the other pages of the project. */
export async function queuePages(transaction: Transaction<Tables>, request: NewRequest): Promise<void> {
  const first = await firstTurn(transaction, request.projectId)
  const rows = rowsOfPages(request).map((row) => ({ ...row, turn: first + row.position }))
  await writeInSlices(rows, (some) => transaction.insertInto('captures').values(some).execute())
  await keepSecrets(transaction, request, request.pages)
}

/** The rows of new captures, without their turn. */
export function rowsOfPages({ projectId, rootId, created, pages, heldUntil = 0 }: NewRequest) {
  return pages.map(({ url, name, loadingTime, ownOptions }, position) => ({
    project_id: projectId,
    root_id: rootId,
    position,
    url,
    name,
    loading_time: loadingTime,
    own_options: writeOwnOptions(ownOptions),
    state: 'queued' as const,
    attempts: 0,
    deaths: 0,
    due: heldUntil,
    queued: created,
    cut: 0,
    changed: FIRST_VERSION,
  }))
}

/** The turn after all others of the project. Pages that are not in the queue have NO_TURN, which is less. */
export async function firstTurn(transaction: Transaction<Tables>, projectId: string): Promise<number> {
  const last = await transaction
    .selectFrom('captures')
    .select(({ fn }) => fn.max('turn').as('turn'))
    .where('finished', 'is', null)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return (last?.turn ?? -1) + 1
}
