import { type Kysely, sql, type Transaction } from 'kysely'
import type {
  AcceptLimits,
  Attempt,
  Captured,
  Captures,
  CaptureTask,
  Changes,
  Failed,
  NewRequest,
  PutBack,
  RootProgress,
  UnderWay,
} from '../../captures.ts'
import type { RootKey } from '../../store.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'
import { acceptRequest, KeyTaken } from './accept.ts'
import { begin, end, Overtaken, release, requeue } from './attempts.ts'
import { findDue, isDue, isOf, NO_TURN } from './due.ts'
import { isCompeting, joinTurns, lockTurns } from './join-turns.ts'
import { findEnded, finishEnded } from './life.ts'
import { findChanges, findFailed, findProgress } from './progress.ts'
import { adoptRequest } from './requests.ts'
import { findNext } from './turns.ts'

/** If nothing is due: how often to look for captures that an older version did not count. */
const RECOUNT_MS = 30_000

/** Each engine has its own SQL for these: see `reads.ts`. */
type ReadApart = 'anyUnfinished' | 'findBacklog' | 'findVersion' | 'findVersions'

/** Requests and their captures, with queries for every engine. */
export class SqlCaptures implements Omit<Captures, ReadApart> {
  readonly #db: Database
  #recounted = Number.NEGATIVE_INFINITY

  constructor(db: Database) {
    this.#db = db
  }

  async accept(request: NewRequest, limits: AcceptLimits = {}): Promise<string> {
    const skew = await this.#db.skew()
    const now = request.created + skew
    const heldUntil = request.heldUntil && request.heldUntil + skew
    const options = { now, lock: this.#db.lock, ...limits }
    for (;;) {
      const accepted = await this.#db
        .transaction((transaction) => acceptRequest(transaction, { ...request, heldUntil }, options))
        .catch(unless(KeyTaken))
      if (accepted !== undefined) return accepted
    }
  }

  async anyDueSince(then: number): Promise<boolean> {
    const due = this.#db.read
      .selectFrom('captures')
      .select('position')
      .where(isDue(then, { held: false }))
      .where('queued', '<=', then)
      .limit(1)
    return (await due.executeTakeFirst()) !== undefined
  }

  async takeNext({
    leaseMs,
    rootId,
    idleOnly = false,
    suspects = false,
    ...options
  }: Parameters<Captures['takeNext']>[0]): Promise<CaptureTask | undefined> {
    const lock = this.#db.lock
    const now = await this.#db.timeAt(options.now)
    for (;;) {
      const taken = await this.#db
        .transaction(async (transaction) => {
          const held = rootId !== undefined
          const next = held
            ? { key: await findDue(transaction, now, { rootId, suspects, lock }) }
            : await findNext(transaction, now, { idleOnly, suspects, lock })
          if (!next?.key) return 'nothing'
          const { key, ...chosen } = next
          const task = await begin(transaction, key, { now, leaseMs, held, suspects, ...chosen })
          // Another process was faster. There may be another capture.
          if (!task) throw new Overtaken()
          return task
        })
        .catch(unless(Overtaken))
      if (taken !== 'nothing' && taken) return taken
      if (taken === 'nothing' && !(await this.#recount(now))) return undefined
    }
  }

  /** Whether it found captures that were not counted. */
  async #recount(now: number): Promise<boolean> {
    if (performance.now() - this.#recounted < RECOUNT_MS) return false
    this.#recounted = performance.now()
    const projectIds = await findMiscounted(this.#db.read)
    for (const id of projectIds)
      await this.#db.transaction((one) => recount(one, id, { now, lock: this.#db.lock }))
    for (const root of await findEnded(this.#db.read))
      await this.#db.transaction((one) => finishEnded(one, root, now))
    return projectIds.length > 0
  }

  async anySuspect(at: number): Promise<boolean> {
    const now = await this.#db.timeAt(at)
    const suspect = this.#db.read
      .selectFrom('captures')
      .select('position')
      .where(isDue(now, { held: true, suspects: true }))
      .limit(1)
    return (await suspect.executeTakeFirst()) !== undefined
  }

  async findUnderWay(): Promise<UnderWay[]> {
    const rows = await this.#db.read
      .selectFrom('captures')
      .select(['project_id', 'root_id', 'position', 'attempt', 'lease', 'deaths'])
      .where('state', '=', sql.lit('running'))
      .execute()
    return rows.flatMap(({ attempt: uuid, position, lease, deaths, ...row }) =>
      uuid === null
        ? []
        : { projectId: row.project_id, rootId: row.root_id, position, uuid, lease: lease ?? 0, deaths },
    )
  }

  async renew(attempt: Attempt, until: number): Promise<boolean> {
    const lease = await this.#db.timeAt(until)
    const { numUpdatedRows } = await this.#db.transaction((transaction) =>
      transaction
        .updateTable('captures')
        .set({ lease })
        .where('project_id', '=', attempt.projectId)
        .where('root_id', '=', attempt.rootId)
        .where('position', '=', attempt.position)
        .where(isOf(attempt))
        .executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  async finish(attempt: Attempt, outcome: Captured | Failed, now: number): Promise<boolean> {
    const skew = await this.#db.skew()
    return await this.#db.transaction((transaction) => end(transaction, attempt, outcome, now + skew))
  }

  async letGo(root: RootKey, at: number): Promise<void> {
    const { projectId } = root
    const now = await this.#db.timeAt(at)
    await this.#db.transaction(async (transaction) => {
      const competes = await isCompeting(transaction, projectId, now)
      if (!(await release(transaction, root))) return
      const turns = await lockTurns(transaction, projectId, { lock: this.#db.lock })
      await joinTurns(transaction, { projectId, now, pages: 0, competes }, turns)
    })
  }

  async putBack(attempt: Attempt, options: PutBack): Promise<boolean> {
    const skew = await this.#db.skew()
    const [now, due] = [options.now + skew, options.due + skew]
    return await this.#db.transaction((transaction) =>
      requeue(transaction, attempt, { ...options, now, due }),
    )
  }

  async findProgress(projectId: string, rootId: string): Promise<RootProgress | undefined> {
    return await findProgress(this.#db.read, projectId, rootId)
  }

  async findFailed(...[projectId, rootId, position]: Parameters<Captures['findFailed']>) {
    return await findFailed(this.#db.read, projectId, rootId, position)
  }

  async findChanges(projectId: string, rootId: string, since: number): Promise<Changes | undefined> {
    return await findChanges(this.#db.read, projectId, rootId, since)
  }

  async adopt(projectId: string, rootId: string, progress: RootProgress): Promise<void> {
    await this.#db.transaction((transaction) => adoptRequest(transaction, projectId, rootId, progress))
  }
}

/** Returns undefined for this error: then the caller tries again. */
function unless(again: typeof KeyTaken | typeof Overtaken): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof again)) throw error
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

async function recount(
  transaction: Transaction<Tables>,
  projectId: string,
  { now, lock }: { now: number; lock: boolean },
): Promise<void> {
  const turns = await lockTurns(transaction, projectId, { lock })
  const { pages } = await transaction
    .selectFrom('captures')
    .select(({ fn }) => fn.countAll<number>().as('pages'))
    .where('finished', 'is', null)
    .where('turn', '>', NO_TURN)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  const competes = turns.waiting > 0 && (await isCompeting(transaction, projectId, now))
  await joinTurns(transaction, { projectId, now, pages: pages - turns.waiting, competes }, turns)
}
