import { setImmediate as nextIteration } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RootKey } from '../../rows.ts'
import { type Database, isThere, ofProject, type Transaction, update } from '../database.ts'
import { newRevision } from '../projects/projects.ts'
import { OWNED } from '../tables.ts'
import { HIDDEN, isStale } from './claims.ts'
import { removeStep } from './remove-root.ts'

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
    for (;;) {
      const step = await db.transaction((transaction) => removeStep(transaction, { projectId, rootId }, now))
      if (!step) return
      yield step.pictures
      if (step.isLast) return
    }
  }

  /** A root that is shown or being removed. Removes claims of dead processes on the way. */
  const nextRoot = async (projectId: string): Promise<RootKey | undefined> => {
    await db.transaction((transaction) =>
      update(transaction, 'roots', HIDDEN, ofProject(projectId), isStale(db.clock())),
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

    /**
     * Removals that have not ended, of all processes: of roots, and of projects since a time. A project is among them until it is
     * forgotten.
     */
    async findInterrupted() {
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
        if (await isThere(transaction, 'roots', ofProject(projectId))) return false
        for (const table of ['events', 'keys', 'turns', 'projects'] as const)
          await transaction.deleteFrom(table).where(ofProject(projectId)).execute()
        return true
      }),
  }
}

/** With its secrets, if they are not very many. False if there is no such project. A hidden project stays as it is. */
async function hideProject(transaction: Transaction, projectId: string, now: number): Promise<boolean> {
  await removeSecrets(transaction, projectId)
  const hidden = { name: '', revision: newRevision(), removed: sql<number>`coalesce(removed, ${now})` }
  return await update(transaction, 'projects', hidden, ofProject(projectId))
}

// Every table whose rows hold or are a secret. Rows are locked in the order in which other transactions lock them, and before
// the row of the project.

/** Removes some of the rows of a project that hold secrets. Whether there may be more. */
async function removeSecrets(transaction: Transaction, projectId: string): Promise<boolean> {
  await transaction.deleteFrom('keys').where(ofProject(projectId)).execute()
  const remove = async (table: string, key: string, limit: number, of = ofProject(projectId)) => {
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
  await update(transaction, 'webhooks', EMPTY_WEBHOOK, ofProject(projectId))
  const ofWebhooks = sql<boolean>`webhook_id in (select webhook_id from webhooks where project_id = ${projectId})`
  const deliveries = await remove('deliveries', 'delivery_id', DELIVERIES_AT_ONCE, ofWebhooks)
  if (!deliveries) await transaction.deleteFrom('webhooks').where(ofProject(projectId)).execute()
  const sealed = await remove('secrets', 'project_id, root_id, position', SEALED_AT_ONCE)
  return more || deliveries || sealed
}
