import { type Kysely, sql } from 'kysely'
import type { AcceptLimits, CaptureTask, NewRequest, RootProgress, UnderWay } from '../../captures.ts'
import type { RootKey } from '../../rows.ts'
import {
  countRows,
  type Database,
  isThere,
  Overtaken,
  ofProject,
  ofRoot,
  type Transaction,
  update,
} from '../database.ts'
import type { Tables } from '../tables.ts'
import { begin, createAttempts } from './attempts.ts'
import { findDue, isDue, NO_TURN } from './due.ts'
import { findEnded, finishEnded } from './events.ts'
import { createProgress } from './progress.ts'
import { acceptRequest, adoptRequest } from './requests.ts'
import { findNext, isCompeting, joinTurns, lockTurns } from './turns.ts'

/** If nothing is due: how often to look for captures that an older version did not count. */
const RECOUNT_MS = 30_000

/**
 * Requests and their captures. A request becomes a root when it is accepted. Each capture that succeeds adds a job to it.
 */
export function createCaptures(db: Database) {
  let recounted = Number.NEGATIVE_INFINITY

  /** Whether it found captures that were not counted. */
  const recountAll = async (now: number): Promise<boolean> => {
    if (performance.now() - recounted < RECOUNT_MS) return false
    recounted = performance.now()
    const projectIds = await findMiscounted(db.read)
    for (const id of projectIds) await db.transaction((transaction) => recount(transaction, id, now))
    for (const root of await findEnded(db.read))
      await db.transaction((transaction) => finishEnded(transaction, root, now))
    return projectIds.length > 0
  }

  return {
    ...createAttempts(db),
    ...createProgress(db),

    /**
     * Adds the root without jobs, and queues its pages: all or nothing, durable when it resolves. Returns the id of the root.
     * If the same request was accepted with the same idempotency key, that is the earlier root. Throws `not_found` for an
     * unknown project, `conflict` if another request has the key, `rate_limited` if more pages of the project would wait than
     * the limits allow. With a time to come in `origin.scheduled`, its pages are not queued: see `createScheduledRoots`.
     */
    async accept(request: NewRequest, limits: AcceptLimits = {}): Promise<string> {
      const skew = await db.skew()
      const heldUntil = request.heldUntil && request.heldUntil + skew
      const options = { now: request.created + skew, ...limits }
      return await db.transaction((transaction) =>
        acceptRequest(transaction, { ...request, heldUntil }, options),
      )
    },

    /** Whether a capture has been due since `then`, and no process has begun it. */
    async anyDueSince(then: number): Promise<boolean> {
      return await isThere(db.read, 'captures', isDue(then, { held: false }), sql`queued <= ${then}`)
    },

    /**
     * Begins an attempt at the next capture that is due. The next project is the one that has used the browser least, including
     * its captures under way. Its next page is the one that was requested first. `idleOnly`: only projects that have nothing
     * under way. `rootId`: only this root, also its held captures. `suspects`: only pages at which SUSPECT_DEATHS processes
     * died; without it, none of them. Undefined if nothing is due.
     */
    async takeNext({
      leaseMs,
      rootId,
      idleOnly = false,
      suspects = false,
      ...options
    }: {
      now: number
      leaseMs: number
      rootId?: string | undefined
      idleOnly?: boolean | undefined
      suspects?: boolean | undefined
    }): Promise<CaptureTask | undefined> {
      const now = await db.timeAt(options.now)
      const held = rootId !== undefined
      const take = () =>
        db.transaction(async (transaction) => {
          const next = held
            ? { key: await findDue(transaction, now, { rootId, suspects, lock: true }) }
            : await findNext(transaction, now, { idleOnly, suspects })
          if (!next?.key) return undefined
          const { key, ...chosen } = next
          const task = await begin(transaction, key, { now, leaseMs, held, suspects, ...chosen })
          // There may be another capture.
          if (!task) throw new Overtaken()
          return task
        })
      return (await take()) ?? ((await recountAll(now)) ? await take() : undefined)
    },

    /** Whether a page is due at which SUSPECT_DEATHS processes died. */
    async anySuspect(at: number): Promise<boolean> {
      const now = await db.timeAt(at)
      return await isThere(db.read, 'captures', isDue(now, { held: true, suspects: true }))
    },

    /** All attempts under way, in all processes, including dead ones. */
    async findUnderWay(): Promise<UnderWay[]> {
      const rows = await db.read
        .selectFrom('captures')
        .select(['project_id as projectId', 'root_id as rootId', 'position', 'attempt', 'lease', 'deaths'])
        .where('state', '=', sql.lit('running'))
        .execute()
      return rows.flatMap(({ attempt: uuid, lease, ...row }) =>
        uuid === null ? [] : { ...row, uuid, lease: lease ?? 0 },
      )
    },

    /** Every process may capture the pages of this root that are still held. */
    async letGo(root: RootKey, at: number): Promise<void> {
      const { projectId } = root
      const now = await db.timeAt(at)
      await db.transaction(async (transaction) => {
        const competes = await isCompeting(transaction, projectId, now)
        const isHeld = await update(transaction, 'captures', { due: 0 }, ofRoot(root), sql`state = 'queued'`)
        if (!isHeld) return
        const turns = await lockTurns(transaction, projectId)
        await joinTurns(transaction, { projectId, now, pages: 0, competes }, turns)
      })
    },

    /**
     * Adds a finished request to a root that was added with its jobs, once. It writes no events: no client waits for it in this
     * store.
     */
    adopt: (projectId: string, rootId: string, progress: RootProgress): Promise<void> =>
      db.transaction((transaction) => adoptRequest(transaction, projectId, rootId, progress)),
  }
}

// During an upgrade, an older version may queue and end captures in the same database without counting them in `turns`.

/** Projects whose number of unfinished captures is wrong in `turns`. */
async function findMiscounted(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select coalesce(counted.project_id, turns.project_id) as project_id
    from (select project_id, count(*) as pages from captures
      where finished is null and turn > ${NO_TURN} group by project_id) as counted
    full join turns on turns.project_id = counted.project_id
    where coalesce(pages, 0) <> coalesce(waiting, 0)`.execute(db)
  return rows.map((row) => row.project_id)
}

async function recount(transaction: Transaction, projectId: string, now: number): Promise<void> {
  const turns = await lockTurns(transaction, projectId)
  const unfinished = sql<boolean>`finished is null and turn > ${NO_TURN}`
  const pages = await countRows(transaction, 'captures', unfinished, ofProject(projectId))
  const competes = turns.waiting > 0 && (await isCompeting(transaction, projectId, now))
  await joinTurns(transaction, { projectId, now, pages: pages - turns.waiting, competes }, turns)
}
