import { setImmediate as nextIteration } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RootKey } from '../../rows.ts'
import type { Database, Transaction } from '../database.ts'
import { newRevision } from '../projects/projects.ts'
import { OWNED } from '../tables.ts'
import { HIDDEN, isStale } from './claims.ts'
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

/** A removal that has not ended: of a root, or, if it has no root, of the whole project. */
export interface Interrupted {
  readonly projectId: string
  readonly rootId: string | undefined
  /** When the removal of the project began. */
  readonly since: number | undefined
}

/**
 * Removes rows. Each step is one short transaction, so that other writers do not wait long. It yields the names of pictures
 * whose rows are gone, so that the pictures can be removed. If it stops in between, removed rows stay removed;
 * `findInterrupted` finds the rest, and the same call continues. Something that does not exist is not an error.
 */
export function createRemovals(db: Database) {
  /**
   * A root with its jobs, its request, its captures and its events. The first step hides all of it and gives the project a new
   * revision. A small root needs only this step. Attempts under way are not the last ones any more. No step: there is no such
   * root, or it is still being added.
   */
  async function* removeRoot(
    projectId: string,
    rootId: string,
    now: number,
  ): AsyncGenerator<readonly string[]> {
    for (let step: RemovalStep | undefined; !step?.isLast; ) {
      step = await db.transaction((transaction) => removeStep(transaction, { projectId, rootId }, now))
      if (!step) return
      yield step.pictures
    }
  }

  /** A root that is shown or being removed. Removes claims of dead processes on the way. */
  const nextRoot = async (projectId: string): Promise<RootKey | undefined> => {
    await db.transaction((transaction) =>
      transaction
        .updateTable('roots')
        .set(HIDDEN)
        .where('project_id', '=', projectId)
        .where(isStale(db.clock()))
        .execute(),
    )
    return await db.read
      .selectFrom('roots')
      .select(['project_id as projectId', 'root_id as rootId'])
      .where('project_id', '=', projectId)
      .where((eb) => eb.or([eb('claimed', 'is', null), eb('claimed', '=', HIDDEN.claimed)]))
      .limit(1)
      .executeTakeFirst()
  }

  return {
    removeRoot,

    /**
     * A project with its keys and all its roots. The first step hides it and removes everything that holds or is a secret: its
     * keys, templates, schedules, webhooks with their deliveries, and sealed texts. Then its roots are removed one by one. A root that
     * is being added is never shown, and is removed when its claim is over. The id stays taken until `forgetProject`. No step: there
     * is no such project.
     */
    async *removeProject(projectId: string, now: number): AsyncGenerator<readonly string[]> {
      if (!(await db.transaction((transaction) => hideProject(transaction, projectId, now)))) return
      // Also what was written while it was being hidden, and what an older version left.
      while (await db.transaction((transaction) => removeSecrets(transaction, projectId)))
        await nextIteration()
      yield []
      for (;;) {
        const root = await nextRoot(projectId)
        if (!root) return
        yield* removeRoot(projectId, root.rootId, now)
      }
    },

    /** Removals that have not ended, of all processes. A project is among them until it is forgotten. */
    async findInterrupted(): Promise<Interrupted[]> {
      const projects = await db.read
        .selectFrom('projects')
        .select(['project_id as projectId', 'removed'])
        .where('removed', 'is not', null)
        .execute()
      const roots = await db.read
        .selectFrom('roots')
        .select(['project_id as projectId', 'root_id as rootId'])
        .where('claimed', '=', HIDDEN.claimed)
        .execute()
      return [
        ...roots.map((root) => ({ ...root, since: undefined })),
        ...projects.map(({ projectId, removed }) => ({
          projectId,
          rootId: undefined,
          since: removed ?? undefined,
        })),
      ]
    },

    /** When a part of this project was last removed, as far as is known. */
    async findLast(projectId: string): Promise<number | undefined> {
      const found = await db.read
        .selectFrom('projects')
        .select('last_removal')
        .where('project_id', '=', projectId)
        .executeTakeFirst()
      return found?.last_removal ?? undefined
    },

    /** Removes the last row of a removed project. False if it is not being removed, or still has roots. */
    forgetProject: (projectId: string): Promise<boolean> =>
      db.transaction(async (transaction) => {
        const project = transaction
          .selectFrom('projects')
          .select('project_id')
          .where('project_id', '=', projectId)
          .where('removed', 'is not', null)
          // Waits for transactions that are adding a root to the project.
          .forUpdate()
        if (!(await project.executeTakeFirst())) return false
        const roots = transaction.selectFrom('roots').select('root_id').where('project_id', '=', projectId)
        if (await roots.limit(1).executeTakeFirst()) return false
        for (const table of ['events', 'keys', 'turns', 'projects'] as const)
          await transaction.deleteFrom(table).where('project_id', '=', projectId).execute()
        return true
      }),
  }
}

/** With its secrets, if they are not very many. False if there is no such project. A hidden project stays as it is. */
async function hideProject(transaction: Transaction, projectId: string, now: number): Promise<boolean> {
  await removeSecrets(transaction, projectId)
  const { numUpdatedRows } = await transaction
    .updateTable('projects')
    .where('project_id', '=', projectId)
    .set(({ fn, val }) => ({
      ...{ name: '', revision: newRevision() },
      removed: fn.coalesce('removed', val(now)),
    }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

// Every table whose rows hold or are a secret. Rows are locked in the order in which other transactions lock them, and before
// the row of the project.

/** Removes some of the rows of a project that hold secrets. Whether there may be more. */
async function removeSecrets(transaction: Transaction, projectId: string): Promise<boolean> {
  await transaction.deleteFrom('keys').where('project_id', '=', projectId).execute()
  const remove = async (table: string, key: string, limit: number, of = sql`project_id = ${projectId}`) => {
    const columns = sql.raw(key)
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (${columns}) in
      (select ${columns} from ${sql.table(table)} where ${of} limit ${limit})`.execute(transaction)
    return numAffectedRows === BigInt(limit)
  }
  let more = false
  for (const table of Object.keys(OWNED)) {
    if (table === 'webhooks') continue
    more = (await remove(table, `project_id, ${table.slice(0, -1)}_id`, LARGE_AT_ONCE)) || more
  }
  // The rows of webhooks are few. They are emptied at once, and go with the last of their deliveries.
  await transaction.updateTable('webhooks').set(EMPTY_WEBHOOK).where('project_id', '=', projectId).execute()
  const ofWebhooks = sql`webhook_id in (select webhook_id from webhooks where project_id = ${projectId})`
  const deliveries = await remove('deliveries', 'delivery_id', DELIVERIES_AT_ONCE, ofWebhooks)
  if (!deliveries) await transaction.deleteFrom('webhooks').where('project_id', '=', projectId).execute()
  const sealed = await remove('secrets', 'project_id, root_id, position', SEALED_AT_ONCE)
  return more || deliveries || sealed
}
