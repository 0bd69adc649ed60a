import { sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import type { Expected, ListPage, Room } from '../../owned.ts'
import type { NewTemplate, StoredTemplate, TemplateHead, TemplateKey } from '../../templates.ts'
import { type Database, isThere, ofProject, type Transaction, update } from '../database.ts'
import { BYTES, OwnedRows } from '../owned-rows.ts'
import { fromRow } from '../tables.ts'
import { newRevision } from './projects.ts'

/** The most schedules that are named if they use a template. */
const MOST_NAMED = 5
/** The columns that a change does not write. */
const NOT_WRITTEN = ['project_id', 'template_id', 'created', 'last_root'] as const

/**
 * Templates of projects. Roots keep the id of a template that was removed. `change` and `remove` throw `not_found`, and
 * `precondition_failed` if the revision is another one.
 */
export function createTemplates(db: Database) {
  const templates = new OwnedRows(db, 'templates')
  return {
    /** Throws `not_found` for an unknown project, `conflict` if it has `most` templates already, or the id is taken. */
    async create(template: NewTemplate, room: Room = {}): Promise<StoredTemplate> {
      const { projectId, templateId, name, request, sealed, created } = template
      const row = {
        ...{ project_id: projectId, template_id: templateId, name, request, sealed: sealed ?? null },
        ...{ created, changed: created, revision: newRevision(), last_root: null },
      }
      await templates.insert(projectId, room, () => row)
      // A request may have a megabyte: the database need not send it back.
      return fromRow(row)
    },

    has: (key: TemplateKey): Promise<boolean> => isThere(db.read, 'templates', templates.of(key)),

    async find(key: TemplateKey): Promise<StoredTemplate | undefined> {
      const row = await templates.find(key)
      return row && fromRow(row)
    },

    /** Newest first, then by id. Takes no longer if requests are large. */
    page(projectId: string, { after, limit }: ListPage): Promise<TemplateHead[]> {
      return (
        templates
          .sorted(projectId, { after, newestFirst: true })
          // Columns that follow the request would cost as much as the request: SQLite walks through all of its pages to reach them.
          .select(['template_id as templateId', 'name', 'created', BYTES])
          .limit(limit)
          .execute()
      )
    },

    /** Those of these templates that exist, in any order. */
    async findAll(projectId: string, templateIds: readonly string[]): Promise<StoredTemplate[]> {
      if (templateIds.length === 0) return []
      const rows = await db.read
        .selectFrom('templates')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('template_id', 'in', templateIds)
        .execute()
      return rows.map((row) => fromRow(row))
    },

    async change(
      key: TemplateKey,
      { name, request, sealed, changed }: Pick<StoredTemplate, 'name' | 'request' | 'sealed' | 'changed'>,
      expected: Expected = {},
    ): Promise<StoredTemplate> {
      const written = { name, request, sealed: sealed ?? null, changed }
      return fromRow(await templates.change(key, expected, written, NOT_WRITTEN))
    },

    /** Throws `conflict` if something uses it. */
    remove: (key: TemplateKey, expected?: Expected): Promise<void> =>
      templates.remove(key, expected, (transaction) => requireUnused(transaction, key)),
  }
}

/** Part of the transaction that accepts a root. */
export async function noteLastRoot(
  transaction: Transaction,
  { projectId, rootId, origin }: Pick<NewRequest, 'projectId' | 'rootId' | 'origin'>,
): Promise<void> {
  if (origin?.templateId === undefined) return
  const isOrigin = sql<boolean>`template_id = ${origin.templateId}`
  await update(transaction, 'templates', { last_root: rootId }, ofProject(projectId), isOrigin)
}

async function requireUnused(
  transaction: Transaction,
  { projectId, templateId }: TemplateKey,
): Promise<void> {
  const users = await transaction
    .selectFrom('schedules')
    .select('name')
    .where('project_id', '=', projectId)
    .where('template_id', '=', templateId)
    .orderBy('name')
    .limit(MOST_NAMED)
    .execute()
  if (users.length === 0) return
  const names = users.map(({ name }) => `"${name}"`).join(', ')
  throw new AppError('conflict', `schedules use this template: ${names}. Remove or change them first`)
}
