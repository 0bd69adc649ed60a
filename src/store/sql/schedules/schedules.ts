import { sql } from 'kysely'
import type { NewRequest } from '../../captures.ts'
import type { Expected, ListPage, Position, Room } from '../../owned.ts'
import type {
  AheadSchedule,
  NewSchedule,
  Next,
  RunOptions,
  ScheduleKey,
  Schedules,
  StoredSchedule,
} from '../../schedules.ts'
import type { Database } from '../database.ts'
import { BYTES, OwnedRows } from '../owned-rows.ts'
import { newRevision } from '../revision.ts'
import { findAhead, moveBack } from './ahead.ts'
import { countAtOnce, readSchedule, writeSchedule } from './rows.ts'
import { runNow, runOnce } from './run-schedule.ts'

/** The columns that a change does not write. The request need not be sent back: it may have a megabyte. */
const NOT_WRITTEN = [
  ...(['project_id', 'schedule_id', 'next', 'due', 'created', 'last_root', 'runs', 'late'] as const),
  ...(['skipped', 'last_skipped', 'problem', 'problem_at'] as const),
]

export class SqlSchedules implements Schedules {
  readonly #db: Database
  readonly #rows: OwnedRows<'schedules'>

  constructor(db: Database) {
    this.#db = db
    this.#rows = new OwnedRows(db, 'schedules')
  }

  timeAt(now: number): Promise<number> {
    return this.#db.timeAt(now)
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
        order by scheduled limit 1) as once) as first`.execute(this.#db.read)
    return rows[0]?.due ?? undefined
  }

  async findDue(at: number, limit: number): Promise<StoredSchedule[]> {
    const now = await this.#db.timeAt(at)
    const heads = await this.#db.read
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
    const rows = await this.#db.read
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

  async create(schedule: NewSchedule, room: Room = {}): Promise<StoredSchedule> {
    const { projectId, scheduleId, created } = schedule
    const row = {
      ...{ project_id: projectId, schedule_id: scheduleId, created, changed: created },
      ...{ revision: newRevision(), last_root: null, runs: 0, late: 0, skipped: 0, last_skipped: null },
      ...{ problem: null, problem_at: null },
      ...writeSchedule(schedule),
    }
    await this.#rows.insert(projectId, room, () => row)
    return readSchedule(row)
  }

  async find(key: ScheduleKey): Promise<StoredSchedule | undefined> {
    const row = await this.#rows.find(ownedKey(key))
    return row && readSchedule(row)
  }

  async page(
    projectId: string,
    { after, limit, mayBeFewer = false }: ListPage & { readonly mayBeFewer?: boolean },
  ): Promise<StoredSchedule[]> {
    const sorted = this.#rows.sorted(projectId, { after })
    const count = mayBeFewer ? countAtOnce(await sorted.select(BYTES).limit(limit).execute()) : limit
    const rows = await sorted.selectAll().limit(count).execute()
    return rows.map(readSchedule)
  }

  async hasAfter(projectId: string, after: Position): Promise<boolean> {
    const next = this.#rows.sorted(projectId, { after }).select('schedule_id').limit(1)
    return (await next.executeTakeFirst()) !== undefined
  }

  async change(
    schedule: NewSchedule & { readonly changed: number },
    { keepNext = false, ...expected }: Expected & { readonly keepNext?: boolean } = {},
  ): Promise<StoredSchedule> {
    const { next, due, ...content } = writeSchedule(schedule)
    const values = keepNext ? content : { ...content, next, due }
    return await this.#rows.locked(ownedKey(schedule), expected, async (transaction) => {
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

  async remove(key: ScheduleKey, expected: Expected = {}): Promise<void> {
    await this.#rows.locked(ownedKey(key), expected, (one) => this.#rows.remove(one, ownedKey(key)))
  }

  async run(...[schedule, occurrence, options]: Parameters<Schedules['run']>) {
    const now = await this.#db.timeAt(options.now)
    return await this.#db.transaction((transaction) =>
      runOnce(transaction, schedule, occurrence, { ...options, now, lock: this.#db.lock }),
    )
  }

  async runNow(schedule: ScheduleKey, request: NewRequest, options: RunOptions): Promise<string> {
    const now = await this.#db.timeAt(options.now)
    return await this.#db.transaction((transaction) =>
      runNow(transaction, schedule, request, { ...options, now, lock: this.#db.lock }),
    )
  }

  async findAhead(...[now, page]: Parameters<Schedules['findAhead']>): Promise<AheadSchedule[]> {
    return await findAhead(this.#db.read, now, page)
  }

  async moveBack(schedule: AheadSchedule, earlier: Next): Promise<boolean> {
    return await this.#db.transaction((transaction) => moveBack(transaction, schedule, earlier))
  }

  async count(): Promise<number> {
    const { count } = await this.#db.read
      .selectFrom('schedules')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }
}

function ownedKey({ projectId, scheduleId }: ScheduleKey) {
  return { projectId, id: scheduleId }
}
