import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError, hasChanged } from '../../../errors.ts'
import type { Project, ProjectSummary, Store } from '../../store.ts'
import type { Database } from '../database.ts'
import { newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'

type Projects = Pick<Store, 'createProject' | 'renameProject' | 'countProjects'>

export function createProjects(db: Database): Projects {
  return {
    async createProject({ projectId, name, created }) {
      const { numInsertedOrUpdatedRows } = await db.transaction((transaction) =>
        transaction
          .insertInto('projects')
          .values({ project_id: projectId, name, created, revision: newRevision(), last_event: 0 })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      )
      if (numInsertedOrUpdatedRows === 0n)
        throw new AppError('conflict', `project ${projectId} exists already`)
    },
    renameProject: (projectId, name, revision) =>
      db.transaction((transaction) => renameProject(transaction, { projectId, name, revision })),
    countProjects: () => countProjects(db.read),
  }
}

/** Throws `not_found`, also if the project is being removed. `lock`: no other transaction changes it until this one ends. */
export async function requireProject(
  db: Kysely<Tables>,
  projectId: string,
  { lock = false } = {},
): Promise<void> {
  const find = db
    .selectFrom('projects')
    .select('project_id')
    .where('project_id', '=', projectId)
    .where('removed', 'is', null)
  if (!(await (lock ? find.forUpdate() : find).executeTakeFirst())) throw unknownProject(projectId)
}

/** One statement compares the revision and changes it: no other write comes between. */
async function renameProject(
  transaction: Transaction<Tables>,
  { projectId, name, revision }: { projectId: string; name: string; revision: string | undefined },
): Promise<Project | undefined> {
  let update = transaction
    .updateTable('projects')
    .set({ name, revision: newRevision() })
    .where('project_id', '=', projectId)
    .where('removed', 'is', null)
  if (revision !== undefined) update = update.where('revision', '=', revision)
  const row = await update.returning(['created', 'revision']).executeTakeFirst()
  if (row) return { projectId, name, created: row.created, revision: row.revision }
  if (revision === undefined) return undefined
  await requireProject(transaction, projectId)
  throw hasChanged()
}

async function countProjects(db: Kysely<Tables>): Promise<ProjectSummary[]> {
  const rows = await db
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

export function unknownProject(projectId: string): AppError {
  return new AppError('not_found', `there is no project ${projectId}`)
}
