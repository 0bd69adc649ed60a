import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type {
  ApiKey,
  Job,
  NewRoot,
  Project,
  ProjectSummary,
  RootHead,
  RootPosition,
  Store,
  StoredKey,
} from '../store.ts'
import { claim, releaseClaim, renewClaim, showRoot } from './claims.ts'
import { holdClaim, lostClaim } from './hold-claim.ts'
import { newRevision } from './revision.ts'
import { toApiKey, toJob, toProject, toRootHead, toStoredKey } from './rows.ts'
import type { Schema } from './schema.ts'

/**
 * The queries, which serve every SQL engine. `read` and `write` may be one connection or two; a driver opens
 * them, translates its engine's errors and closes them.
 */
export class SqlStore implements Store {
  readonly #read: Kysely<Schema>
  readonly #write: Kysely<Schema>
  readonly #close: () => Promise<void>

  constructor(connections: { read: Kysely<Schema>; write: Kysely<Schema>; close: () => Promise<void> }) {
    this.#read = connections.read
    this.#write = connections.write
    this.#close = connections.close
  }

  async createProject(project: Omit<Project, 'revision'>): Promise<void> {
    const { projectId, name, created } = project
    const { numInsertedOrUpdatedRows } = await this.#transaction((transaction) =>
      transaction
        .insertInto('projects')
        .values({ project_id: projectId, name, created, revision: newRevision() })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow(),
    )
    if (numInsertedOrUpdatedRows === 0n) throw new AppError('conflict', `project ${projectId} exists already`)
  }

  async findProject(projectId: string): Promise<Project | undefined> {
    const row = await this.#read
      .selectFrom('projects')
      .selectAll()
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return row && toProject(row)
  }

  async listProjects(limit?: number): Promise<Project[]> {
    let query = this.#read.selectFrom('projects').selectAll().orderBy('created').orderBy('project_id')
    if (limit !== undefined) query = query.limit(limit)
    return (await query.execute()).map(toProject)
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
      .groupBy('projects.project_id')
      .orderBy('projects.created')
      .orderBy('projects.project_id')
      .execute()
    return rows.map((row) => ({ ...toProject(row), roots: Number(row.roots), jobs: Number(row.jobs) }))
  }

  async addRoot(
    root: NewRoot,
    publish: (stillOurs: () => void) => Promise<void>,
  ): Promise<'added' | 'present'> {
    if (!(await this.findProject(root.projectId))) throw unknownProject(root.projectId)
    const outcome = await this.#transaction((transaction) => claim(transaction, root, Date.now()))
    if (outcome === 'present') return outcome
    const held = holdClaim(() =>
      this.#transaction((transaction) => renewClaim(transaction, root, Date.now())),
    )
    try {
      await publish(held.stillOurs)
    } catch (error) {
      // Perhaps since another who shares the claim was faster.
      if (held.isLost() && (await this.#isShown(root))) return 'present'
      // Where nobody answered, what was sent may still arrive: then the ids stay taken until that is over.
      if (!(error instanceof AppError) || error.code !== 'unavailable') {
        await this.#transaction((transaction) => releaseClaim(transaction, root, Date.now())).catch(() => {})
      }
      throw error
    } finally {
      held.letGo()
    }
    if (await this.#transaction((transaction) => showRoot(transaction, root))) return 'added'
    if (await this.#isShown(root)) return 'present'
    throw lostClaim()
  }

  async findRoot(projectId: string, rootId: string): Promise<RootHead | undefined> {
    const row = await headsOf(this.#read, projectId).where('root_id', '=', rootId).executeTakeFirst()
    return row && toRootHead(row)
  }

  async pageRoots(
    projectId: string,
    { after, limit }: { after?: RootPosition | undefined; limit: number },
  ): Promise<RootHead[]> {
    if (after === undefined) {
      return (await this.#newestFirst(projectId).limit(limit).execute()).map(toRootHead)
    }
    // Two index ranges rather than one condition with OR: each begins where the page begins, so that a page
    // costs the same wherever it lies and however many roots share one instant.
    const sameInstant = headsOf(this.#read, projectId)
      .where('created', '=', after.created)
      .where('root_id', '>', after.rootId)
      .orderBy('root_id')
      .limit(limit)
    const older = this.#newestFirst(projectId).where('created', '<', after.created).limit(limit)
    const rows = await this.#read
      .selectFrom(sameInstant.as('same_instant'))
      .selectAll()
      .unionAll(this.#read.selectFrom(older.as('older')).selectAll())
      .orderBy('created', 'desc')
      .orderBy('root_id')
      .limit(limit)
      .execute()
    return rows.map(toRootHead)
  }

  async jobsOf(projectId: string, rootIds: readonly string[]): Promise<Job[]> {
    if (rootIds.length === 0) return []
    const rows = await this.#jobs(projectId)
      .where('root_id', 'in', rootIds)
      .orderBy('root_id')
      .orderBy('position')
      .execute()
    return rows.map(toJob)
  }

  async pageJobs(projectId: string, rootId: string, page: { from: number; limit: number }): Promise<Job[]> {
    const rows = await this.#jobs(projectId)
      .where('root_id', '=', rootId)
      .where('position', '>=', page.from)
      .orderBy('position')
      .limit(page.limit)
      .execute()
    return rows.map(toJob)
  }

  async createKey(key: StoredKey): Promise<void> {
    if (!(await this.findProject(key.projectId))) throw unknownProject(key.projectId)
    const { numInsertedOrUpdatedRows } = await this.#transaction((transaction) =>
      transaction
        .insertInto('keys')
        .values({
          key_id: key.keyId,
          project_id: key.projectId,
          hash: key.hash,
          scope: key.scope,
          label: key.label,
          created: key.created,
          revoked: key.revoked ?? null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow(),
    )
    if (numInsertedOrUpdatedRows === 0n) throw new AppError('conflict', `key ${key.keyId} exists already`)
  }

  async findKey(hash: string): Promise<ApiKey | undefined> {
    const row = await this.#read
      .selectFrom('keys')
      .selectAll()
      .where('hash', '=', hash)
      .where('revoked', 'is', null)
      .executeTakeFirst()
    return row && toApiKey(row)
  }

  async listKeys(projectId?: string): Promise<StoredKey[]> {
    let query = this.#read.selectFrom('keys').selectAll().orderBy('created').orderBy('key_id')
    if (projectId !== undefined) query = query.where('project_id', '=', projectId)
    return (await query.execute()).map(toStoredKey)
  }

  async revokeKey(keyId: string, at: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#transaction((transaction) =>
      transaction
        .updateTable('keys')
        .set(({ fn, val }) => ({ revoked: fn.coalesce('revoked', val(at)) }))
        .where('key_id', '=', keyId)
        .executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  async check(): Promise<void> {
    await this.#read.selectFrom('projects').select('project_id').limit(1).execute()
  }

  async #isShown({ projectId, rootId, digest }: NewRoot): Promise<boolean> {
    return (await this.findRoot(projectId, rootId))?.digest === digest
  }

  async close(): Promise<void> {
    await this.#close()
  }

  /** Every write, also a single one: a transaction is what waits for other writers. */
  async #transaction<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
  }

  #jobs(projectId: string) {
    return this.#read.selectFrom('jobs').selectAll().where('project_id', '=', projectId)
  }

  #newestFirst(projectId: string) {
    return headsOf(this.#read, projectId).orderBy('created', 'desc').orderBy('root_id')
  }
}

/** Of roots that are shown. */
function headsOf(db: Kysely<Schema>, projectId: string) {
  return db
    .selectFrom('roots')
    .select(['root_id', 'created', 'revision', 'job_count', 'digest'])
    .where('project_id', '=', projectId)
    .where('claimed', 'is', null)
}

function unknownProject(projectId: string): AppError {
  return new AppError('not_found', `there is no project ${projectId}`)
}
