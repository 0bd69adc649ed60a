import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { NewRequest } from '../../captures.ts'
import type {
  AheadSchedule,
  NewSchedule,
  Next,
  RunOptions,
  ScheduleKey,
  SchedulePosition,
  Schedules,
  StoredSchedule,
} from '../../schedules.ts'
import type { Tables } from '../tables.ts'
import { BYTES } from '../projects/kept-bytes.ts'
import { requireProject } from '../projects/projects.ts'
import { newRevision } from '../revision.ts'
import { runNow, runOnce } from './run-schedule.ts'
import { countAtOnce, readSchedule, writeSchedule } from './rows.ts'
import { findAhead, moveBack } from './ahead.ts'
import type { WriteConnections } from '../writes.ts'

/** The columns that a change does not write. The request need not be sent back: it may have a megabyte. */
const NOT_WRITTEN = [
  ...([
    'project_id',
    'schedule_id',
    'next',
    'due',
    'created',
    'last_root',
    'runs',
    'late',
    'skipped',
  ] as const),
  ...(['last_skipped', 'problem', 'problem_at'] as const),
]

type Expected = { readonly ifRevision?: string | undefined }

export class SqlSchedules implements Schedules {
  readonly #read: Kysely<Tables>
  readonly #write: Kysely<Tables>
  readonly #lock: boolean
  readonly #skew: () => Promise<number>

  constructor({ read, write, severalWriters, clockSkew }: WriteConnections) {
    this.#read = read
    this.#write = write
    this.#lock = severalWriters
    this.#skew = clockSkew
  }

  async timeAt(now: number): Promise<number> {
    return now + (await this.#skew())
  }

  async findNextDue(): Promise<number | undefined> {
    // Projects that are being removed are left out here, too: otherwise the caller would come again at once.
    const { rows } = await sql<{ due: number | null }>`select min(due) as due from (
      select * from (select due from schedules cross join projects
        where due is not null and projects.project_id = schedules.project_id and removed is null
        order by due limit 1) as recurring
      union all
      select * from (select scheduled as due from requests cross join projects
        where scheduled is not null and begun is null and finished is null
          and projects.project_id = requests.project_id and removed is null
        order by scheduled limit 1) as once) as first`.execute(this.#read)
    return rows[0]?.due ?? undefined
  }

  async findDue(at: number, limit: number): Promise<StoredSchedule[]> {
    const now = at + (await this.#skew())
    const heads = await this.#read
      .selectFrom('schedules')
      .innerJoin('projects', 'projects.project_id', 'schedules.project_id')
      .select(['schedules.project_id', 'schedules.schedule_id', BYTES])
      .where('due', '<=', now)
      .where('due', 'is not', null)
      .where('projects.removed', 'is', null)
      .orderBy('due')
      .limit(limit)
      .execute()
    const some = heads.slice(0, countAtOnce(heads))
    if (some.length === 0) return []
    const rows = await this.#read
      .selectFrom('schedules')
      .selectAll()
      .where('project_id', 'in', [...new Set(some.map((head) => head.project_id))])
      .where(
        'schedule_id',
        'in',
        some.map((head) => head.schedule_id),
      )
      .where('due', '<=', now)
      .orderBy('due')
      .execute()
    return rows.map(readSchedule)
  }

  async create(
    schedule: NewSchedule,
    { most = Number.POSITIVE_INFINITY }: { most?: number } = {},
  ): Promise<StoredSchedule> {
    const { projectId, scheduleId, created } = schedule
    return await this.#transaction(async (transaction) => {
      await requireProject(transaction, projectId, { lock: this.#lock })
      const { count } = await transaction
        .selectFrom('schedules')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (count >= most)
        throw new AppError(
          'conflict',
          `this project has ${count} schedules, and may have ${most} (MAX_SCHEDULES)`,
        )
      const row = {
        ...{ project_id: projectId, schedule_id: scheduleId, created, changed: created },
        ...{ revision: newRevision(), last_root: null, runs: 0, late: 0, skipped: 0, last_skipped: null },
        ...{ problem: null, problem_at: null },
        ...writeSchedule(schedule),
      }
      await transaction.insertInto('schedules').values(row).execute()
      // A request may have a megabyte: the database need not send it back.
      return readSchedule(row)
    })
  }

  async find(projectId: string, scheduleId: string): Promise<StoredSchedule | undefined> {
    const row = await this.#read
      .selectFrom('schedules')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('schedule_id', '=', scheduleId)
      .executeTakeFirst()
    return row && readSchedule(row)
  }

  async list(
    projectId: string,
    { after, limit, mayBeFewer = false }: Parameters<Schedules['list']>[1],
  ): Promise<StoredSchedule[]> {
    const sorted = this.#sorted(projectId, after)
    const count = mayBeFewer ? countAtOnce(await sorted.select(BYTES).limit(limit).execute()) : limit
    const rows = await sorted.selectAll().limit(count).execute()
    return rows.map(readSchedule)
  }

  async hasAfter(projectId: string, after: SchedulePosition): Promise<boolean> {
    const next = this.#sorted(projectId, after).select('schedule_id').limit(1)
    return (await next.executeTakeFirst()) !== undefined
  }

  #sorted(projectId: string, after: SchedulePosition | undefined) {
    const all = this.#read.selectFrom('schedules').where('project_id', '=', projectId)
    const some = after
      ? all.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created', 'schedule_id'), '>', tuple(after.created, after.scheduleId)),
        )
      : all
    return some.orderBy('created').orderBy('schedule_id')
  }

  async change(
    schedule: NewSchedule & { readonly changed: number },
    { ifRevision, keepNext = false }: Expected & { readonly keepNext?: boolean } = {},
  ): Promise<StoredSchedule | undefined> {
    const { next, due, ...content } = writeSchedule(schedule)
    const values = keepNext ? content : { ...content, next, due }
    return await this.#transaction(async (transaction) => {
      if (!(await this.#isThere(transaction, schedule, ifRevision))) return undefined
      const written = { ...values, changed: schedule.changed, revision: newRevision() }
      const others = await transaction
        .updateTable('schedules')
        .set(written)
        .where('project_id', '=', schedule.projectId)
        .where('schedule_id', '=', schedule.scheduleId)
        .returning(NOT_WRITTEN)
        .executeTakeFirstOrThrow()
      return readSchedule({ ...content, ...others, ...written })
    })
  }

  async remove(key: ScheduleKey, { ifRevision }: Expected = {}): Promise<boolean> {
    return await this.#transaction(async (transaction) => {
      if (!(await this.#isThere(transaction, key, ifRevision))) return false
      await transaction
        .deleteFrom('schedules')
        .where('project_id', '=', key.projectId)
        .where('schedule_id', '=', key.scheduleId)
        .execute()
      return true
    })
  }

  async run(...[schedule, occurrence, options]: Parameters<Schedules['run']>) {
    const now = await this.timeAt(options.now)
    return await this.#transaction((transaction) =>
      runOnce(transaction, schedule, occurrence, { ...options, now, lock: this.#lock }),
    )
  }

  async runNow(schedule: ScheduleKey, request: NewRequest, options: RunOptions): Promise<string> {
    const now = await this.timeAt(options.now)
    return await this.#transaction((transaction) =>
      runNow(transaction, schedule, request, { ...options, now, lock: this.#lock }),
    )
  }

  async findAhead(...[now, page]: Parameters<Schedules['findAhead']>): Promise<AheadSchedule[]> {
    return await findAhead(this.#read, now, page)
  }

  async moveBack(schedule: AheadSchedule, earlier: Next): Promise<boolean> {
    return await this.#transaction((transaction) => moveBack(transaction, schedule, earlier))
  }

  async count(): Promise<number> {
    const { count } = await this.#read
      .selectFrom('schedules')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }

  /** Locks the row. Throws `precondition_failed`. */
  async #isThere(
    transaction: Transaction<Tables>,
    { projectId, scheduleId }: ScheduleKey,
    ifRevision: string | undefined,
  ): Promise<boolean> {
    const find = transaction
      .selectFrom('schedules')
      .select('revision')
      .where('project_id', '=', projectId)
      .where('schedule_id', '=', scheduleId)
    const found = await (this.#lock ? find.forUpdate() : find).executeTakeFirst()
    if (found && ifRevision !== undefined && found.revision !== ifRevision)
      throw new AppError(
        'precondition_failed',
        'the schedule has been changed since it was read: read it again',
      )
    return found !== undefined
  }

  async #transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
  }
}
