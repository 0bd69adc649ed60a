import { type InsertObject, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { AppError, hasChanged } from '../../errors.ts'
import type { Expected, Position, Room } from '../owned.ts'
import type { Database, Transaction } from './database.ts'
import { unknownProject } from './projects/projects.ts'
import type { Tables } from './tables.ts'

/**
 * The size of a kept request. Both engines store the size of a text beside it, and `octet_length` reads nothing else; `length` counts
 * characters, and so reads all of a text that may be a megabyte. A schedule that runs a template has no request.
 */
export const BYTES = sql<number>`coalesce(octet_length(request), 0)`.as('bytes')

/** The rows of one kind that projects own. Their tables have the same columns for what is done here. */
export class OwnedRows<T extends 'templates' | 'schedules' | 'webhooks', Key extends { projectId: string }> {
  readonly #db: Database
  /** Any of them: only columns that all have are used. */
  readonly #table: 'templates'
  readonly #id: 'template_id'
  readonly #idOf: (key: Key) => string

  constructor(db: Database, table: T, idOf: (key: Key) => string) {
    this.#db = db
    this.#table = table as 'templates'
    this.#id = `${table.slice(0, -1)}_id` as 'template_id'
    this.#idOf = idOf
  }

  /** The condition for one row. */
  of(key: Key): RawBuilder<boolean> {
    return sql`project_id = ${key.projectId} and ${sql.ref(this.#id)} = ${this.#idOf(key)}`
  }

  async find(key: Key): Promise<Selectable<Tables[T]> | undefined> {
    const find = this.#db.read.selectFrom(this.#table).selectAll().where(this.of(key))
    return (await find.executeTakeFirst()) as Selectable<Tables[T]> | undefined
  }

  /** By age, then by id, after a position. */
  sorted(
    projectId: string,
    { after, newestFirst = false }: { after?: Position | undefined; newestFirst?: boolean },
  ): SelectQueryBuilder<Tables, T, object> {
    const all = this.#db.read.selectFrom(this.#table).where('project_id', '=', projectId)
    const some = after
      ? all.where((eb) =>
          eb.or([
            eb('created', newestFirst ? '<' : '>', after.created),
            eb.and([eb('created', '=', after.created), eb(this.#id, '>', after.id)]),
          ]),
        )
      : all
    const sorted = some.orderBy('created', newestFirst ? 'desc' : 'asc').orderBy(this.#id)
    return sorted as unknown as SelectQueryBuilder<Tables, T, object>
  }

  /** Throws `not_found` for an unknown project, `conflict` if that has `most` rows, or if the id is taken. */
  async insert(
    projectId: string,
    { most = Number.POSITIVE_INFINITY }: Room,
    makeRow: (project: { readonly last_event: number }) => InsertObject<Tables, T>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      // Locked, so that two at the same time do not exceed the limit.
      const project = await transaction
        .selectFrom('projects')
        .select('last_event')
        .where('project_id', '=', projectId)
        .where('removed', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (!project) throw unknownProject(projectId)
      const { count } = await transaction
        .selectFrom(this.#table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (count >= most) throw this.#tooMany(most)
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto(this.#table)
        .values(makeRow(project) as InsertObject<Tables, 'templates'>)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows === 0n) throw new AppError('conflict', 'this id exists already')
    })
  }

  /** Does `work` while the row is locked. Throws `not_found`, or `precondition_failed` if it has another revision. */
  async locked<R>(
    key: Key,
    { revision }: Expected,
    work: (transaction: Transaction) => Promise<R>,
  ): Promise<R> {
    return await this.#db.transaction(async (transaction) => {
      const find = transaction.selectFrom(this.#table).select('revision').where(this.of(key)).forUpdate()
      const found = await find.executeTakeFirst()
      if (!found) throw new AppError('not_found')
      if (revision !== undefined && revision !== found.revision) throw hasChanged()
      return await work(transaction)
    })
  }

  async remove(transaction: Transaction, key: Key): Promise<void> {
    await transaction.deleteFrom(this.#table).where(this.of(key)).execute()
  }

  #tooMany(most: number): AppError {
    const setting = `MAX_${this.#table.toUpperCase()}`
    return new AppError(
      'conflict',
      `this project has reached its limit of ${most} ${this.#table} (${setting}): remove some first`,
    )
  }
}
