import { setImmediate as nextIteration } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Interrupted, Removals } from '../../removals.ts'
import type { RootKey } from '../../store.ts'
import type { Database } from '../database.ts'
import { newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'
import { BEING_REMOVED, isStale } from './claims.ts'
import { removeJob } from './remove-job.ts'
import { type RemovalStep, removeStep } from './remove-root.ts'

/** Requests of templates and schedules have up to a megabyte. */
const LARGE_AT_ONCE = 50
const DELIVERIES_AT_ONCE = 200
const SEALED_AT_ONCE = 500
/** The columns that a webhook keeps until its deliveries are gone. */
const EMPTY_WEBHOOK = {
  name: '',
  url: '',
  secrets: '[]',
  paused: 1,
  next_due: null,
  off_detail: null,
} as const

export class SqlRemovals implements Removals {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async *removeRoot(projectId: string, rootId: string, now: number): AsyncGenerator<readonly string[]> {
    const root = { projectId, rootId }
    for (let step: RemovalStep | undefined; !step?.isLast; ) {
      step = await this.#db.transaction((one) => removeStep(one, root, { now, lock: this.#db.lock }))
      if (!step) return
      yield step.pictures
    }
  }

  async removeJob(projectId: string, uuid: string, now: number): Promise<string | undefined> {
    return await this.#db.transaction((transaction) => removeJob(transaction, { projectId, uuid, now }))
  }

  async *removeProject(projectId: string, now: number): AsyncGenerator<readonly string[]> {
    if (!(await this.#db.transaction((transaction) => hideProject(transaction, projectId, now)))) return
    // Also what was written while it was being hidden, and what an older version left.
    while (await this.#db.transaction((transaction) => removeSecrets(transaction, projectId)))
      await nextIteration()
    yield []
    for (;;) {
      const root = await this.#nextRoot(projectId)
      if (!root) return
      yield* this.removeRoot(projectId, root.rootId, now)
    }
  }

  /** A root that is shown or being removed. Removes claims of dead processes on the way. */
  async #nextRoot(projectId: string): Promise<RootKey | undefined> {
    await this.#db.transaction((transaction) =>
      transaction
        .updateTable('roots')
        .set({ claimed: BEING_REMOVED, claimers: 0, digest: '' })
        .where('project_id', '=', projectId)
        .where(isStale(this.#db.clock()))
        .execute(),
    )
    const found = await this.#db.read
      .selectFrom('roots')
      .select('root_id')
      .where('project_id', '=', projectId)
      .where((eb) => eb.or([eb('claimed', 'is', null), eb('claimed', '=', BEING_REMOVED)]))
      .limit(1)
      .executeTakeFirst()
    return found && { projectId, rootId: found.root_id }
  }

  async findInterrupted(): Promise<Interrupted[]> {
    const projects = await this.#db.read
      .selectFrom('projects')
      .select(['project_id', 'removed'])
      .where('removed', 'is not', null)
      .execute()
    const roots = await this.#db.read
      .selectFrom('roots')
      .select(['project_id', 'root_id'])
      .where('claimed', '=', BEING_REMOVED)
      .execute()
    return [
      ...roots.map((row) => ({ projectId: row.project_id, rootId: row.root_id, since: undefined })),
      ...projects.map((row) => ({
        projectId: row.project_id,
        rootId: undefined,
        since: row.removed ?? undefined,
      })),
    ]
  }

  async findLast(projectId: string): Promise<number | undefined> {
    const found = await this.#db.read
      .selectFrom('projects')
      .select('last_removal')
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return found?.last_removal ?? undefined
  }

  async forgetProject(projectId: string): Promise<boolean> {
    return await this.#db.transaction((transaction) => forgetProject(transaction, projectId, this.#db.lock))
  }
}

/** With its secrets, if they are not very many. False if there is no such project. A hidden project stays as it is. */
async function hideProject(
  transaction: Transaction<Tables>,
  projectId: string,
  now: number,
): Promise<boolean> {
  await removeSecrets(transaction, projectId)
  const ofProject = transaction.updateTable('projects').where('project_id', '=', projectId)
  const { numUpdatedRows } = await ofProject
    .set(({ fn, val }) => ({
      ...{ name: '', revision: newRevision() },
      removed: fn.coalesce('removed', val(now)),
    }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function forgetProject(
  transaction: Transaction<Tables>,
  projectId: string,
  lock: boolean,
): Promise<boolean> {
  const find = transaction
    .selectFrom('projects')
    .select('project_id')
    .where('project_id', '=', projectId)
    .where('removed', 'is not', null)
  // Waits for transactions that are adding a root to the project.
  if (!(await (lock ? find.forUpdate() : find).executeTakeFirst())) return false
  const root = transaction.selectFrom('roots').select('root_id').where('project_id', '=', projectId).limit(1)
  if (await root.executeTakeFirst()) return false
  for (const table of ['events', 'keys', 'turns', 'projects'] as const)
    await transaction.deleteFrom(table).where('project_id', '=', projectId).execute()
  return true
}

// Every table whose rows hold or are a secret. Rows are locked in the order in which other transactions lock them, and before
// the row of the project.

/** Removes some of the rows of a project that hold secrets. Whether there may be more. */
async function removeSecrets(transaction: Transaction<Tables>, projectId: string): Promise<boolean> {
  await transaction.deleteFrom('keys').where('project_id', '=', projectId).execute()
  const remove = async (table: string, key: string, limit: number, of = sql`project_id = ${projectId}`) => {
    const columns = sql.raw(key)
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (${columns}) in
      (select ${columns} from ${sql.table(table)} where ${of} limit ${limit})`.execute(transaction)
    return numAffectedRows === BigInt(limit)
  }
  const schedules = await remove('schedules', 'project_id, schedule_id', LARGE_AT_ONCE)
  const templates = await remove('templates', 'project_id, template_id', LARGE_AT_ONCE)
  const webhooks = await removeWebhooks(transaction, projectId, (of) =>
    remove('deliveries', 'delivery_id', DELIVERIES_AT_ONCE, of),
  )
  const sealed = await remove('secrets', 'project_id, root_id, position', SEALED_AT_ONCE)
  return schedules || templates || webhooks || sealed
}

/** The rows of webhooks are few. They are emptied at once, and go with the last of their deliveries. */
async function removeWebhooks(
  transaction: Transaction<Tables>,
  projectId: string,
  removeDeliveries: (of: ReturnType<typeof sql>) => Promise<boolean>,
): Promise<boolean> {
  await transaction.updateTable('webhooks').set(EMPTY_WEBHOOK).where('project_id', '=', projectId).execute()
  const ofProject = sql`select webhook_id from webhooks where project_id = ${projectId}`
  if (await removeDeliveries(sql`webhook_id in (${ofProject})`)) return true
  await transaction.deleteFrom('webhooks').where('project_id', '=', projectId).execute()
  return false
}
