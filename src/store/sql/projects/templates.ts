import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import type {
  Expected,
  NewTemplate,
  Refused,
  StoredTemplate,
  TemplateKey,
  Templates,
} from '../../templates.ts'
import type { Tables } from '../tables.ts'
import { BYTES } from './kept-bytes.ts'
import { requireProject } from './projects.ts'
import { newRevision } from '../revision.ts'
import type { WriteConnections } from '../writes.ts'

/** So many schedules that use a template are named. */
const MOST_NAMED = 5

export class SqlTemplates implements Templates {
  readonly #read: Kysely<Tables>
  readonly #write: Kysely<Tables>
  readonly #lock: boolean

  constructor({ read, write, severalWriters }: WriteConnections) {
    this.#read = read
    this.#write = write
    this.#lock = severalWriters
  }

  async create(
    { projectId, templateId, name, request, sealed, created }: NewTemplate,
    { most = Number.POSITIVE_INFINITY }: { readonly most?: number } = {},
  ): Promise<StoredTemplate> {
    const revision = newRevision()
    await this.#transaction(async (transaction) => {
      await requireProject(transaction, projectId, { lock: this.#lock })
      await requireRoom(transaction, projectId, most)
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('templates')
        .values({
          ...{ project_id: projectId, template_id: templateId, name, request, sealed: sealed ?? null },
          ...{ created, changed: created, revision },
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows === 0n)
        throw new AppError('conflict', `template ${templateId} exists already`)
    })
    // A request may have a megabyte: the database need not send it back.
    const written = { projectId, templateId, name, request, sealed, created }
    return { ...written, changed: created, revision, lastRoot: undefined }
  }

  async has({ projectId, templateId }: TemplateKey): Promise<boolean> {
    const found = await this.#read
      .selectFrom('templates')
      .select('template_id')
      .where('project_id', '=', projectId)
      .where('template_id', '=', templateId)
      .executeTakeFirst()
    return found !== undefined
  }

  async find({ projectId, templateId }: TemplateKey): Promise<StoredTemplate | undefined> {
    return (await this.findAll(projectId, [templateId]))[0]
  }

  async page(projectId: string, { after, limit }: Parameters<Templates['page']>[1]) {
    const rows = await this.#read
      .selectFrom('templates')
      // Columns that follow the request would cost as much as the request: SQLite walks through all of its pages to reach them.
      .select(['template_id', 'name', 'created', BYTES])
      .where('project_id', '=', projectId)
      .$if(after !== undefined, (query) =>
        query.where((eb) =>
          eb.or([
            eb('created', '<', after?.created ?? 0),
            eb.and([
              eb('created', '=', after?.created ?? 0),
              eb('template_id', '>', after?.templateId ?? ''),
            ]),
          ]),
        ),
      )
      .orderBy('created', 'desc')
      .orderBy('template_id')
      .limit(limit)
      .execute()
    return rows.map(({ template_id, ...row }) => ({ templateId: template_id, ...row }))
  }

  async findAll(projectId: string, templateIds: readonly string[]): Promise<StoredTemplate[]> {
    if (templateIds.length === 0) return []
    const rows = await this.#read
      .selectFrom('templates')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('template_id', 'in', templateIds)
      .execute()
    return rows.map(({ project_id, template_id, sealed, last_root, ...row }) => ({
      ...{ projectId: project_id, templateId: template_id, ...row },
      ...{ sealed: sealed ?? undefined, lastRoot: last_root ?? undefined },
    }))
  }

  async change(
    key: TemplateKey,
    { name, request, sealed, changed }: Parameters<Templates['change']>[1],
    expected: Expected = {},
  ): Promise<StoredTemplate | Refused> {
    const { projectId, templateId } = key
    const revision = newRevision()
    return await this.#ifExpected(key, expected, async (transaction) => {
      const { created, last_root } = await transaction
        .updateTable('templates')
        .set({ name, request, sealed: sealed ?? null, changed, revision })
        .where('project_id', '=', projectId)
        .where('template_id', '=', templateId)
        .returning(['created', 'last_root'])
        .executeTakeFirstOrThrow()
      const written = { projectId, templateId, name, request, sealed, created, changed, revision }
      return { ...written, lastRoot: last_root ?? undefined }
    })
  }

  async remove(key: TemplateKey, expected: Expected = {}): Promise<'done' | Refused> {
    return await this.#ifExpected(key, expected, async (transaction) => {
      await requireUnused(transaction, key)
      await transaction
        .deleteFrom('templates')
        .where('project_id', '=', key.projectId)
        .where('template_id', '=', key.templateId)
        .execute()
      return 'done' as const
    })
  }

  async #ifExpected<T>(
    { projectId, templateId }: TemplateKey,
    { revision }: Expected,
    work: (transaction: Transaction<Tables>) => Promise<T>,
  ): Promise<T | Refused> {
    return await this.#transaction(async (transaction) => {
      const find = transaction
        .selectFrom('templates')
        .select('revision')
        .where('project_id', '=', projectId)
        .where('template_id', '=', templateId)
      const found = await (this.#lock ? find.forUpdate() : find).executeTakeFirst()
      if (!found) return 'missing'
      if (revision !== undefined && revision !== found.revision) return 'other'
      return await work(transaction)
    })
  }

  async #transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
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

async function requireRoom(transaction: Transaction<Tables>, projectId: string, most: number): Promise<void> {
  const { count } = await transaction
    .selectFrom('templates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= most) {
    throw new AppError(
      'conflict',
      `this project has ${count} templates, and may have ${most}: remove some first`,
    )
  }
}
