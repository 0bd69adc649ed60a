import { randomBytes } from 'node:crypto'
import { type Kysely, sql, type Updateable } from 'kysely'
import { AppError, hasChanged } from '../../../errors.ts'
import type { Project } from '../../rows.ts'
import { type Database, insertNew, isThere, ofProject, type Transaction, update } from '../database.ts'
import type { Tables } from '../tables.ts'

const IS_SHOWN = sql<boolean>`removed is null`

export function createProjects(db: Database) {
  return {
    /** Throws `conflict` if the id is taken. */
    async createProject({ projectId, name, created }: Omit<Project, 'revision'>): Promise<void> {
      const row = { project_id: projectId, name, created, revision: newRevision(), last_event: 0 }
      const isNew = await db.transaction((transaction) => insertNew(transaction, 'projects', row))
      if (!isNew) throw new AppError('conflict', `project ${projectId} exists already`)
    },

    /**
     * Gives it another name and a new revision. Undefined if there is no such project. Throws `precondition_failed` if it has
     * another revision than the one that is given. One statement compares the revision and changes it: no other write comes
     * between.
     */
    renameProject(projectId: string, name: string, revision?: string): Promise<Project | undefined> {
      return db.transaction(async (transaction) => {
        let update = transaction
          .updateTable('projects')
          .set({ name, revision: newRevision() })
          .where('project_id', '=', projectId)
          .where('removed', 'is', null)
        if (revision !== undefined) update = update.where('revision', '=', revision)
        const row = await update.returning(['created', 'revision']).executeTakeFirst()
        if (row) return { projectId, name, ...row }
        if (revision === undefined) return undefined
        await requireProject(transaction, projectId)
        throw hasChanged()
      })
    },

    /** With their counts. It reads every root. */
    async countProjects() {
      const rows = await db.read
        .selectFrom('projects')
        .leftJoin('roots', (join) =>
          join.onRef('roots.project_id', '=', 'projects.project_id').on('roots.claimed', 'is', null),
        )
        .select(['projects.project_id as projectId', 'name', 'projects.created', 'projects.revision'])
        .select(({ fn }) => [
          fn.count<number>('roots.root_id').as('roots'),
          fn.coalesce(fn.sum<number>('roots.job_count'), sql<number>`0`).as('jobs'),
        ])
        .where('projects.removed', 'is', null)
        .groupBy('projects.project_id')
        .orderBy('projects.created')
        .orderBy('projects.project_id')
        .execute()
      return rows.map((row) => ({ ...row, roots: Number(row.roots), jobs: Number(row.jobs) }))
    },
  }
}

/** Throws `not_found`, also if the project is being removed. */
export async function requireProject(db: Kysely<Tables>, projectId: string): Promise<void> {
  if (!(await isThere(db, 'projects', ofProject(projectId), IS_SHOWN))) throw unknownProject(projectId)
}

export function unknownProject(projectId: string): AppError {
  return new AppError('not_found', `there is no project ${projectId}`)
}

/** Random, not counted: so a restored backup or a project that is created again never repeats a revision. */
export function newRevision(): string {
  return randomBytes(12).toString('base64url')
}

/** Gives the project a new revision. False if there is no such project, or it is being removed. */
export async function changeProject(
  transaction: Transaction,
  projectId: string,
  more: Pick<Updateable<Tables['projects']>, 'last_removal'> = {},
): Promise<boolean> {
  const changed = { revision: newRevision(), ...more }
  return await update(transaction, 'projects', changed, ofProject(projectId), IS_SHOWN)
}
