import { sql, type UpdateObject } from 'kysely'
import { AppError } from '../../../errors.ts'
import { otherWork } from '../../../work/other-work.ts'
import type { NewRequest, RootProgress } from '../../captures.ts'
import type { RootKey } from '../../rows.ts'
import type { RunOptions } from '../../schedules.ts'
import { countRows, insertNew, Overtaken, ofProject, ofRoot, type Transaction } from '../database.ts'
import { changeProject, newRevision, requireProject, unknownProject } from '../projects/projects.ts'
import { noteLastRoot } from '../projects/templates.ts'
import type { Tables } from '../tables.ts'
import { countMarks, marksOf, NO_MARKS, writeOptions, writeOrigin, writeOwnOptions } from './columns.ts'
import { FIRST_VERSION, NO_TURN } from './due.ts'
import { outcomeOf } from './events.ts'
import { isCompeting, joinTurns, lockTurns } from './turns.ts'

/** By then, some pages of a full queue are captured, and some scheduled ones may have begun. */
const RETRY_AFTER_S = 60
/** Rows of captures that one statement writes. Each may have 30 KB. */
const AT_ONCE = 25

/** See `Captures.accept`. `now`: by the clock of the store. */
export async function acceptRequest(
  transaction: Transaction,
  request: NewRequest,
  { now, mostWaiting, mostScheduled }: RunOptions,
): Promise<string> {
  const { projectId, rootId, pages } = request
  await requireProject(transaction, projectId)
  const turns = await lockTurns(transaction, projectId)
  const before = await findAccepted(transaction, request)
  if (before !== undefined) return before
  if ((request.origin?.scheduled ?? 0) > now) {
    const isLater = sql<boolean>`finished is null and turn = ${NO_TURN}`
    const scheduled = await countRows(transaction, 'captures', isLater, ofProject(projectId))
    requireRoom(request, 'scheduled', scheduled, mostScheduled)
    await addRequest(transaction, request, { begun: null })
    await addPages(transaction, request, () => ({ state: 'scheduled', turn: NO_TURN }))
    return rootId
  }
  requireRoom(request, 'waiting', turns.waiting, mostWaiting)
  const competes = turns.waiting > 0 && (await isCompeting(transaction, projectId, now))
  await joinTurns(transaction, { projectId, now, pages: pages.length, competes }, turns)
  await addRequest(transaction, request, { begun: now })
  const first = await firstTurn(transaction, projectId)
  await addPages(transaction, request, (position) => ({ state: 'queued', turn: first + position }))
  return rootId
}

/** Throws `rate_limited` if too many pages of the project would be waiting or scheduled. */
function requireRoom(
  { pages }: NewRequest,
  kind: 'waiting' | 'scheduled',
  count: number,
  most = Number.POSITIVE_INFINITY,
): void {
  if (count + pages.length <= most) return
  throw new AppError(
    'rate_limited',
    `this project has ${count} ${kind} pages; ${pages.length} more would exceed its limit of ` +
      `${most} (MAX_PAGES_${kind.toUpperCase()})`,
    { retryAfterS: RETRY_AFTER_S },
  )
}

/** The root of the same request, if it was accepted before. Throws `conflict` if its key belongs to another request. */
async function findAccepted(
  transaction: Transaction,
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

/** The root is shown at once, without jobs. */
async function addRequest(
  transaction: Transaction,
  request: NewRequest,
  { begun }: Pick<Tables['requests'], 'begun'>,
): Promise<void> {
  const { projectId, rootId, created, digest } = request
  const root = { project_id: projectId, root_id: rootId }
  await transaction
    .insertInto('roots')
    .values({
      ...{ ...root, created, digest, revision: newRevision() },
      ...{ job_count: 0, claimed: null, claimers: 0 },
    })
    .execute()
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('requests')
    .values({
      ...root,
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
  // Another request with the same idempotency key was accepted at the same time.
  if (numInsertedOrUpdatedRows === 0n) throw new Overtaken()
  // The project is locked after the template: its removal does so, too.
  await noteLastRoot(transaction, request)
  if (!(await changeProject(transaction, projectId))) throw unknownProject(projectId)
}

/** Adds the pages, with their secrets. A foreign key deletes the secrets with their capture, so removals need no code. */
async function addPages(
  transaction: Transaction,
  { projectId, rootId, created, pages, heldUntil = 0 }: NewRequest,
  place: (position: number) => Pick<Tables['captures'], 'state' | 'turn'>,
): Promise<void> {
  const root = { project_id: projectId, root_id: rootId }
  const captures = pages.map(({ url, name, loadingTime, ownOptions }, position) => ({
    ...{ ...root, position, url, name, loading_time: loadingTime, own_options: writeOwnOptions(ownOptions) },
    ...{ ...place(position), attempts: 0, deaths: 0, due: heldUntil, queued: created },
    ...{ cut: 0, changed: FIRST_VERSION },
  }))
  await writeInSlices(captures, (some) => transaction.insertInto('captures').values(some).execute())
  const secrets = pages.flatMap(({ sealed }, position) =>
    sealed === undefined ? [] : { ...root, position, sealed },
  )
  await writeInSlices(secrets, (some) => transaction.insertInto('secrets').values(some).execute())
}

/**
 * Writes rows a few at a time, within one transaction. Between the statements others use the event loop: SQLite works in the same
 * thread, and making a statement of a megabyte for PostgreSQL takes as long.
 */
async function writeInSlices<Row>(
  rows: readonly Row[],
  write: (some: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    if (from > 0) await otherWork()
    await write(rows.slice(from, from + AT_ONCE))
  }
}

/** Raises the version of a request: something has happened to its captures. */
export async function raiseVersion(
  transaction: Transaction,
  root: RootKey,
  more: UpdateObject<Tables, 'requests'> = {},
) {
  return await transaction
    .updateTable('requests')
    .set({ version: sql`version + 1`, ...more })
    .where(ofRoot(root))
    .returning(['version', 'options', 'marks'])
    .executeTakeFirstOrThrow()
}

/** The turn after all others of the project. Pages that are not in the queue have NO_TURN, which is less. */
export async function firstTurn(transaction: Transaction, projectId: string): Promise<number> {
  const last = await transaction
    .selectFrom('captures')
    .select(({ fn }) => fn.max('turn').as('turn'))
    .where('finished', 'is', null)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return (last?.turn ?? -1) + 1
}

/** See `Captures.adopt`. Does nothing if the request is there already. */
export async function adoptRequest(
  transaction: Transaction,
  projectId: string,
  rootId: string,
  { idempotencyKey, origin, options, version, finished, captures }: RootProgress,
): Promise<void> {
  const root = { project_id: projectId, root_id: rootId }
  const isNew = await insertNew(transaction, 'requests', {
    ...root,
    idempotency_key: idempotencyKey ?? null,
    options: writeOptions(options),
    version,
    marks: countMarks(NO_MARKS, captures.map(marksOf)),
    ...writeOrigin(origin),
    finished: finished?.at ?? Math.max(0, ...captures.map((capture) => capture.finished ?? 0)),
    outcome: finished?.outcome ?? outcomeOf(captures.map(({ state }) => state)),
  })
  if (!isNew) return
  // A new revision: the root was shown before, but now it can be found by its tags.
  await changeProject(transaction, projectId)
  const rows = captures.map((capture) => ({
    ...root,
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
