import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { KeyPage, NewRoot, Project, ProjectSummary, Store, StoredKey } from '../store.ts'
import type { Tables } from './tables.ts'
import { SqlCaptures } from './captures/captures.ts'
import { claim, releaseClaim, renewClaim, showRoot } from './roots/claims.ts'
import { SqlEndedSessions } from './projects/ended-sessions.ts'
import { SqlEvents } from './captures/events.ts'
import { findTaken, type Transact, whileFree } from './roots/free-ids.ts'
import { holdClaim, lostClaim } from './roots/hold-claim.ts'
import { createKey, listKeys, revokeKey } from './projects/keys.ts'
import { renameProject, requireProject } from './projects/projects.ts'
import { SqlRemovals } from './roots/removals.ts'
import { newRevision } from './revision.ts'
import { SqlScheduledRoots } from './schedules/scheduled-roots.ts'
import { SqlSchedules } from './schedules/schedules.ts'
import { SqlTemplates } from './projects/templates.ts'
import { SqlDeliveries } from './webhooks/deliveries.ts'
import { SqlWebhooks } from './webhooks/webhooks.ts'

type StoreWrites = Pick<
  Store,
  | 'createProject'
  | 'renameProject'
  | 'countProjects'
  | 'addRoot'
  | 'findTaken'
  | 'whileFree'
  | 'createKey'
  | 'listKeys'
  | 'revokeKey'
  | 'keepIdentity'
  | 'followTime'
>

/** Everything except the read path, with queries for every engine. */
export interface Writes extends StoreWrites {
  readonly captures: SqlCaptures
  readonly events: SqlEvents
  readonly removals: SqlRemovals
  readonly scheduledRoots: SqlScheduledRoots
  readonly schedules: SqlSchedules
  readonly webhooks: SqlWebhooks
  readonly deliveries: SqlDeliveries
  readonly templates: SqlTemplates
  readonly endedSessions: SqlEndedSessions
  /** Writes something, and changes nothing. */
  tryWriting(): Promise<void>
}

/** A driver opens them, and translates the errors of its engine. They may be one connection. */
export interface WriteConnections {
  readonly read: Kysely<Tables>
  readonly write: Kysely<Tables>
  /** Transactions run at the same time, and lock rows. If false, each waits for the one before. */
  readonly severalWriters: boolean
  /** How far the clock of the database is ahead of the clock of this machine. */
  readonly clockSkew: () => Promise<number>
  /** The time of this machine, in Unix milliseconds. */
  readonly clock: () => number
}

export function openWrites(connections: WriteConnections): Writes {
  return Object.assign(new SqlWrites(connections), {
    captures: new SqlCaptures(connections),
    events: new SqlEvents(connections),
    removals: new SqlRemovals(connections),
    scheduledRoots: new SqlScheduledRoots(connections),
    schedules: new SqlSchedules(connections),
    webhooks: new SqlWebhooks(connections),
    deliveries: new SqlDeliveries(connections),
    templates: new SqlTemplates(connections),
    endedSessions: new SqlEndedSessions(connections),
  })
}

class SqlWrites implements StoreWrites {
  readonly #read: Kysely<Tables>
  readonly #write: Kysely<Tables>
  readonly #clock: () => number
  /** Whether rows must be locked. */
  readonly #lock: boolean
  readonly #skew: () => Promise<number>

  constructor({ read, write, severalWriters, clockSkew, clock }: WriteConnections) {
    this.#read = read
    this.#write = write
    this.#clock = clock
    this.#lock = severalWriters
    this.#skew = clockSkew
  }

  async tryWriting(): Promise<void> {
    await this.#transaction((transaction) =>
      transaction
        .updateTable('identity')
        .set({ value: sql.ref('value') })
        .execute(),
    )
  }

  async createProject(project: Omit<Project, 'revision'>): Promise<void> {
    const { projectId, name, created } = project
    const { numInsertedOrUpdatedRows } = await this.#transaction((transaction) =>
      transaction
        .insertInto('projects')
        .values({ project_id: projectId, name, created, revision: newRevision(), last_event: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow(),
    )
    if (numInsertedOrUpdatedRows === 0n) throw new AppError('conflict', `project ${projectId} exists already`)
  }

  renameProject(projectId: string, name: string, revision?: string): Promise<Project | undefined> {
    return this.#transaction((transaction) => renameProject(transaction, { projectId, name, revision }))
  }

  async countProjects(): Promise<ProjectSummary[]> {
    const rows = await this.#read
      .selectFrom('projects')
      .leftJoin('roots', (join) =>
        join.onRef('roots.project_id', '=', 'projects.project_id').on('roots.claimed', 'is', null),
      )
      .selectAll('projects')
      .select(({ fn }) => [
        fn.count<number>('roots.root_id').as('roots'),
        fn.coalesce(fn.sum<number>('roots.job_count'), sql<number>`0`).as('jobs'),
      ])
      .where('projects.removed', 'is', null)
      .groupBy('projects.project_id')
      .orderBy('projects.created')
      .orderBy('projects.project_id')
      .execute()
    return rows.map((row) => ({
      projectId: row.project_id,
      name: row.name,
      created: row.created,
      revision: row.revision,
      roots: Number(row.roots),
      jobs: Number(row.jobs),
    }))
  }

  async addRoot(
    root: NewRoot,
    publish: (stillOurs: () => void) => Promise<void>,
  ): Promise<'added' | 'present'> {
    await requireProject(this.#read, root.projectId)
    const outcome = await this.#transaction((transaction) => claim(transaction, root, this.#clock()))
    if (outcome === 'present') return outcome
    const held = holdClaim(() =>
      this.#transaction((transaction) => renewClaim(transaction, root, this.#clock())),
    )
    try {
      await publish(held.stillOurs)
    } catch (error) {
      // Another import that shares the claim may have shown the root.
      if (held.isLost() && (await this.#isShown(root))) return 'present'
      // If S3 or the database did not answer, pictures may still arrive. Then the ids stay claimed until the claim is stale.
      if (!(error instanceof AppError) || error.code !== 'unavailable') {
        await this.#transaction((transaction) => releaseClaim(transaction, root, this.#clock())).catch(
          () => {},
        )
      }
      throw error
    } finally {
      held.letGo()
    }
    if (await this.#transaction((transaction) => showRoot(transaction, root))) return 'added'
    if (await this.#isShown(root)) return 'present'
    throw lostClaim()
  }

  findTaken(projectId: string, uuids: readonly string[]): Promise<Set<string>> {
    return findTaken(this.#read, projectId, uuids)
  }

  whileFree(
    projectId: string,
    uuids: readonly string[],
    work: (stillOurs: () => void) => Promise<void>,
  ): Promise<boolean> {
    const transact: Transact = (run) => this.#transaction(run)
    return whileFree({ transact, clock: this.#clock }, { projectId, uuids }, work)
  }

  createKey(key: StoredKey): Promise<void> {
    return this.#transaction((transaction) => createKey(transaction, key))
  }

  listKeys(page?: KeyPage): Promise<StoredKey[]> {
    return listKeys(this.#read, page)
  }

  revokeKey(keyId: string, at: number): Promise<boolean> {
    return this.#transaction((transaction) => revokeKey(transaction, keyId, at))
  }

  async keepIdentity(name: string, value: string): Promise<string> {
    return await this.#transaction(async (transaction) => {
      await transaction
        .insertInto('identity')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const kept = transaction.selectFrom('identity').select('value').where('name', '=', name)
      return (await kept.executeTakeFirstOrThrow()).value
    })
  }

  async followTime(name: string, { now: given, most }: { now: number; most: number }): Promise<number> {
    const now = given + (await this.#skew())
    return await this.#transaction(async (transaction) => {
      const row = { name, time: now }
      await transaction
        .insertInto('times')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const kept = transaction.selectFrom('times').select('time').where('name', '=', name)
      const { time: before } = await (this.#lock ? kept.forUpdate() : kept).executeTakeFirstOrThrow()
      const time = Math.min(now, before + Math.round(most))
      await transaction.updateTable('times').set({ time }).where('name', '=', name).execute()
      return time
    })
  }

  async #isShown({ projectId, rootId, digest }: NewRoot): Promise<boolean> {
    const row = await this.#read
      .selectFrom('roots')
      .select('digest')
      .where('project_id', '=', projectId)
      .where('root_id', '=', rootId)
      .where('claimed', 'is', null)
      .executeTakeFirst()
    return row?.digest === digest
  }

  /** Every write uses a transaction, also a single statement: only a transaction waits for other writers. */
  async #transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
  }
}
