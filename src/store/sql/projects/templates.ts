import type { Selectable, Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import type { Expected, ListPage, Room } from '../../owned.ts'
import type { NewTemplate, StoredTemplate, TemplateHead, TemplateKey, Templates } from '../../templates.ts'
import type { Database } from '../database.ts'
import { BYTES, OwnedRows } from '../owned-rows.ts'
import { newRevision } from '../revision.ts'
import type { Tables } from '../tables.ts'

/** The most schedules that are named if they use a template. */
const MOST_NAMED = 5

export class SqlTemplates implements Templates {
  readonly #db: Database
  readonly #rows: OwnedRows<'templates'>

  constructor(db: Database) {
    this.#db = db
    this.#rows = new OwnedRows(db, 'templates')
  }

  async create(template: NewTemplate, room: Room = {}): Promise<StoredTemplate> {
    const { projectId, templateId, name, request, sealed, created } = template
    const row = {
      ...{ project_id: projectId, template_id: templateId, name, request, sealed: sealed ?? null },
      ...{ created, changed: created, revision: newRevision(), last_root: null },
    }
    await this.#rows.insert(projectId, room, () => row)
    // A request may have a megabyte: the database need not send it back.
    return toTemplate(row)
  }

  async has({ projectId, templateId }: TemplateKey): Promise<boolean> {
    const found = await this.#db.read
      .selectFrom('templates')
      .select('template_id')
      .where('project_id', '=', projectId)
      .where('template_id', '=', templateId)
      .executeTakeFirst()
    return found !== undefined
  }

  async find(key: TemplateKey): Promise<StoredTemplate | undefined> {
    const row = await this.#rows.find(ownedKey(key))
    return row && toTemplate(row)
  }

  async page(projectId: string, { after, limit }: ListPage): Promise<TemplateHead[]> {
    const rows = await this.#rows
      .sorted(projectId, { after, newestFirst: true })
      // Columns that follow the request would cost as much as the request: SQLite walks through all of its pages to reach them.
      .select(['template_id', 'name', 'created', BYTES])
      .limit(limit)
      .execute()
    return rows.map(({ template_id, ...row }) => ({ templateId: template_id, ...row }))
  }

  async findAll(projectId: string, templateIds: readonly string[]): Promise<StoredTemplate[]> {
    if (templateIds.length === 0) return []
    const rows = await this.#db.read
      .selectFrom('templates')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('template_id', 'in', templateIds)
      .execute()
    return rows.map(toTemplate)
  }

  async change(
    key: TemplateKey,
    { name, request, sealed, changed }: Parameters<Templates['change']>[1],
    expected: Expected = {},
  ): Promise<StoredTemplate> {
    return await this.#rows.locked(ownedKey(key), expected, async (transaction) => {
      const written = { name, request, sealed: sealed ?? null, changed, revision: newRevision() }
      const others = await transaction
        .updateTable('templates')
        .set(written)
        .where('project_id', '=', key.projectId)
        .where('template_id', '=', key.templateId)
        .returning(['project_id', 'template_id', 'created', 'last_root'])
        .executeTakeFirstOrThrow()
      return toTemplate({ ...others, ...written })
    })
  }

  async remove(key: TemplateKey, expected: Expected = {}): Promise<void> {
    await this.#rows.locked(ownedKey(key), expected, async (transaction) => {
      await requireUnused(transaction, key)
      await this.#rows.remove(transaction, ownedKey(key))
    })
  }
}

function ownedKey({ projectId, templateId }: TemplateKey) {
  return { projectId, id: templateId }
}

function toTemplate(row: Selectable<Tables['templates']>): StoredTemplate {
  const { project_id, template_id, sealed, last_root, ...rest } = row
  return {
    ...{ projectId: project_id, templateId: template_id, ...rest },
    ...{ sealed: sealed ?? undefined, lastRoot: last_root ?? undefined },
  }
}

/** Part of the transaction that accepts a root. */
export async function noteLastRoot(
  transaction: Transaction<Tables>,
  { projectId, rootId, origin }: Pick<NewRequest, 'projectId' | 'rootId' | 'origin'>,
): Promise<void> {
  if (origin?.templateId === undefined) return
  await transaction
    .updateTable('templates')
    .set({ last_root: rootId })
    .where('project_id', '=', projectId)
    .where('template_id', '=', origin.templateId)
    .execute()
}

/** Throws `conflict`, and names what uses the template. */
async function requireUnused(transaction: Transaction<Tables>, key: TemplateKey): Promise<void> {
  const users = await transaction
    .selectFrom('schedules')
    .select('name')
    .where('project_id', '=', key.projectId)
    .where('template_id', '=', key.templateId)
    .orderBy('name')
    .limit(MOST_NAMED)
    .execute()
  if (users.length === 0) return
  const names = users.map(({ name }) => `"${name}"`).join(', ')
  throw new AppError('conflict', `schedules use this template: ${names}. Remove or change them first`)
}
