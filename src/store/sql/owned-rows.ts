import {
  type InsertObject,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Updateable,
} from 'kysely'
import { AppError, hasChanged } from '../../errors.ts'
import type { Expected, ListPage, Position, Room } from '../owned.ts'
import { countRows, type Database, insertNew, ofProject, type Transaction } from './database.ts'
import { newRevision, unknownProject } from './projects/projects.ts'
import { OWNED, type OwnedTable, type Tables } from './tables.ts'

/**
 * The size of a kept request. Both engines store the size of a text beside it, and `octet_length` reads nothing else; `length` counts
 * characters, and so reads all of a text that may be a megabyte. A schedule that runs a template has no request.
 */
export const BYTES = sql<number>`coalesce(octet_length(request), 0)`.as('bytes')

/** Of `templates`, `projectId` and `templateId`. */
type Key<T extends OwnedTable> = { readonly projectId: string } & {
  readonly [Id in `${T extends `${infer One}s` ? One : never}Id`]: string
}
type Row<T extends OwnedTable> = Selectable<Tables[T]>
type Values = Readonly<Record<string, unknown>> & { readonly project_id: string }

/** The same at the target of a copy, beside what begins anew there. */
const NOT_COMPARED = ['created', 'changed', 'revision', 'after']

/** The rows of one kind that projects own. Their tables have the same columns for what is done here. */
export class OwnedRows<T extends OwnedTable> {
  readonly #db: Database
  /** Any of them: only columns that all have are used. */
  readonly #table: 'templates'
  readonly #id: 'template_id'
  readonly #keyId: 'templateId'

  constructor(db: Database, table: T) {
    const one = table.slice(0, -1)
    this.#db = db
    this.#table = table as 'templates'
    this.#id = `${one}_id` as 'template_id'
    this.#keyId = `${one}Id` as 'templateId'
  }

  /** The condition for one row. */
  of(key: Key<T>): RawBuilder<boolean> {
    const id = (key as unknown as Key<'templates'>)[this.#keyId]
    return sql`project_id = ${key.projectId} and ${sql.ref(this.#id)} = ${id}`
  }

  async find(key: Key<T>): Promise<Row<T> | undefined> {
    const find = this.#db.read.selectFrom(this.#table).selectAll().where(this.of(key))
    return (await find.executeTakeFirst()) as Row<T> | undefined
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

  /** Whole rows, oldest first. */
  async page(projectId: string, { after, limit }: ListPage): Promise<Row<T>[]> {
    return (await this.sorted(projectId, { after }).selectAll().limit(limit).execute()) as Row<T>[]
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
      const count = await countRows(transaction, this.#table, ofProject(projectId))
      if (count >= most) throw this.#tooMany(most)
      const row = makeRow(project) as InsertObject<Tables, 'templates'>
      if (!(await insertNew(transaction, this.#table, row)))
        throw new AppError('conflict', 'this id exists already')
    })
  }

  /** Does `work` while the row is locked. Throws `not_found`, or `precondition_failed` if it has another revision. */
  async locked<R>(
    key: Key<T>,
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

  /**
   * Writes some columns, and a new revision. Throws as `locked`. Returns what it wrote with the other columns, `others`: a request may have a
   * megabyte, and the database need not send it back.
   */
  change<W extends Updateable<Tables[T]>, C extends keyof Row<T>>(
    key: Key<T>,
    expected: Expected,
    written: W,
    others: readonly C[],
  ): Promise<Pick<Row<T>, C> & W & { revision: string }> {
    return this.locked(key, expected, async (transaction) => {
      const all = { ...written, revision: newRevision() }
      const update = transaction.updateTable(this.#table).set(all).where(this.of(key))
      const kept = await update.returning(others as unknown as 'name'[]).executeTakeFirstOrThrow()
      return { ...(kept as unknown as Pick<Row<T>, C>), ...all }
    })
  }

  /** Throws as `locked`. `first` may refuse it. */
  async remove(
    key: Key<T>,
    expected: Expected = {},
    first: (transaction: Transaction) => Promise<void> = async () => {},
  ): Promise<void> {
    await this.locked(key, expected, async (transaction) => {
      await first(transaction)
      await transaction.deleteFrom(this.#table).where(this.of(key)).execute()
    })
  }

  /** All rows of a project, one at a time: a request may be long. */
  async *all(projectId: string): AsyncGenerator<Row<T>> {
    const ids = this.#db.read.selectFrom(this.#table).select(this.#id).where('project_id', '=', projectId)
    for (const row of await ids.orderBy('created').orderBy(this.#id).execute()) {
      const found = await this.find({ projectId, [this.#keyId]: row[this.#id] } as unknown as Key<T>)
      if (found) yield found
    }
  }

  /** Adds a row of another store. Secrets in it stay sealed: they open with the same secret keys. False if it is there. */
  async adopt(row: Row<T>): Promise<boolean> {
    const values = row as unknown as Values
    if (await this.find(this.#keyOf(values))) return false
    await this.insert(values.project_id, {}, ({ last_event }) => {
      // A webhook is notified of events from now on.
      const anew = { ...OWNED[this.#table], ...('after' in values && { after: last_event }) }
      return { ...values, ...anew, revision: newRevision() } as unknown as InsertObject<Tables, T>
    })
    return true
  }

  /** Whether a row of another store was adopted, and has not been changed at either end. */
  async hasSame(row: Row<T>): Promise<boolean> {
    const here = row as unknown as Values
    const there = (await this.find(this.#keyOf(here))) as Values | undefined
    const compared = Object.keys(here).filter(
      (name) => !NOT_COMPARED.includes(name) && !(name in OWNED[this.#table]),
    )
    return there !== undefined && compared.every((name) => there[name] === here[name])
  }

  #keyOf(row: Values): Key<T> {
    return { projectId: row.project_id, [this.#keyId]: row[this.#id] } as unknown as Key<T>
  }

  #tooMany(most: number): AppError {
    const setting = `MAX_${this.#table.toUpperCase()}`
    return new AppError(
      'conflict',
      `this project has reached its limit of ${most} ${this.#table} (${setting}): remove some first`,
    )
  }
}
