import { type Insertable, type Selectable, sql } from 'kysely'
import type { Expected, ListPage, Position, Room } from '../../owned.ts'
import type { AheadSchedule, NewSchedule, Next, ScheduleKey, StoredSchedule } from '../../schedules.ts'
import { type Database, update } from '../database.ts'
import { BYTES, OwnedRows } from '../owned-rows.ts'
import { newRevision } from '../projects/projects.ts'
import { fromRow, type Tables } from '../tables.ts'
import { createRuns, writeNext } from './run-schedule.ts'

/** Bytes of requests that are read at once. A request may have a million. */
const BYTES_AT_ONCE = 500_000
/** Clocks of processes may differ by less than this. */
const APART_MS = 60_000
/** The longest day of a time zone. */
const DAY_MS = 25 * 3_600_000
/** The columns that a change does not always write. */
const NOT_WRITTEN = [
  ...(['project_id', 'schedule_id', 'next', 'due', 'created', 'last_root', 'runs', 'late'] as const),
  ...(['skipped', 'last_skipped', 'problem', 'problem_at'] as const),
]

export function createSchedules(db: Database) {
  const schedules = new OwnedRows(db, 'schedules')
  return {
    ...createRuns(db),

    /** The time by the clock of the store. `now`: by the clock of this process. */
    timeAt: db.timeAt,

    /** When the next schedule or the next scheduled root is due, by the clock of the store. Undefined: there is none. */
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
          order by scheduled limit 1) as once) as first`.execute(db.read)
      return rows[0]?.due ?? undefined
    },

    /**
     * Schedules that are due, the earliest first. None of a project that is being removed. Fewer than `limit` if their requests are
     * long.
     */
    async findDue(at: number, limit: number): Promise<StoredSchedule[]> {
      const now = await db.timeAt(at)
      const due = db.read
        .selectFrom('schedules')
        .innerJoin('projects', 'projects.project_id', 'schedules.project_id')
        .where('due', '<=', now)
        .where('due', 'is not', null)
        .where('projects.removed', 'is', null)
        .orderBy('due')
      const count = countAtOnce(await due.select(BYTES).limit(limit).execute())
      if (count === 0) return []
      const rows = await due.selectAll('schedules').limit(count).execute()
      return rows.map(readSchedule)
    },

    /** Throws `not_found` for an unknown project, `conflict` if the project has `most` schedules. */
    async create(schedule: NewSchedule, room: Room = {}): Promise<StoredSchedule> {
      const { projectId, scheduleId, created } = schedule
      const row = {
        ...{ project_id: projectId, schedule_id: scheduleId, created, changed: created },
        ...{ revision: newRevision(), last_root: null, runs: 0, late: 0, skipped: 0, last_skipped: null },
        ...{ problem: null, problem_at: null },
        ...writeSchedule(schedule),
      }
      await schedules.insert(projectId, room, () => row)
      return readSchedule(row)
    },

    async find(key: ScheduleKey): Promise<StoredSchedule | undefined> {
      const row = await schedules.find(key)
      return row && readSchedule(row)
    },

    /** Oldest first, then by id. `mayBeFewer`: than `limit`, if their requests are long; but at least one, if there is one. */
    async page(
      projectId: string,
      { after, limit, mayBeFewer = false }: ListPage & { readonly mayBeFewer?: boolean },
    ): Promise<StoredSchedule[]> {
      const sorted = schedules.sorted(projectId, { after })
      const count = mayBeFewer ? countAtOnce(await sorted.select(BYTES).limit(limit).execute()) : limit
      const rows = await sorted.selectAll().limit(count).execute()
      return rows.map(readSchedule)
    },

    async hasAfter(projectId: string, after: Position): Promise<boolean> {
      const next = schedules.sorted(projectId, { after }).select('schedule_id').limit(1)
      return (await next.executeTakeFirst()) !== undefined
    },

    /**
     * Throws `not_found`, and `precondition_failed` if it has another revision. `keepNext`: the next time stays as it is. A time that is
     * due must not be lost because the schedule gets another name.
     */
    async change(
      schedule: NewSchedule & { readonly changed: number },
      { keepNext = false, ...expected }: Expected & { readonly keepNext?: boolean } = {},
    ): Promise<StoredSchedule> {
      const { next, due, ...content } = writeSchedule(schedule)
      const written = { ...content, changed: schedule.changed, ...(!keepNext && { next, due }) }
      return readSchedule({
        ...content,
        ...(await schedules.change(schedule, expected, written, NOT_WRITTEN)),
        changed: schedule.changed,
      })
    },

    /** Throws as above. Its roots stay. */
    remove: (key: ScheduleKey, expected?: Expected): Promise<void> => schedules.remove(key, expected),

    /**
     * Schedules of all projects that have run more than a minute after `now`, or whose next time is more than a day away. `now`: by the
     * clock of the store. By id, those after `after`.
     */
    async findAhead(
      now: number,
      { after = '', limit }: { after?: string | undefined; limit: number },
    ): Promise<AheadSchedule[]> {
      const rows = await db.read
        .selectFrom('schedules')
        .leftJoin('roots', (join) =>
          join
            .onRef('roots.project_id', '=', 'schedules.project_id')
            .onRef('roots.root_id', '=', 'schedules.last_root'),
        )
        .select(['schedules.project_id as projectId', 'schedules.schedule_id as scheduleId'])
        .select(['cron', 'timezone', 'every', 'schedules.created', 'next', 'due', 'schedules.revision'])
        .where('next', 'is not', null)
        .$if(after !== '', (query) => query.where('schedules.schedule_id', '>', after))
        .where((eb) =>
          eb.or([
            eb('roots.created', '>', now + APART_MS),
            eb('schedules.last_skipped', '>', now + APART_MS),
            eb('schedules.problem_at', '>', now + APART_MS),
            // Few schedules run more seldom: their times are found again.
            eb('schedules.next', '>', now + DAY_MS),
          ]),
        )
        .orderBy('schedules.schedule_id')
        .limit(limit)
        .execute()
      return rows.map(({ cron, timezone, every, next, due, ...row }) => ({
        ...{ ...row, cron: cron ?? undefined, timezone: timezone ?? undefined, every: every ?? undefined },
        next: { next: next ?? 0, due: due ?? 0 },
      }))
    },

    /** Gives a schedule an earlier next time. False if it is not as it was read. */
    async moveBack(schedule: AheadSchedule, earlier: Next): Promise<boolean> {
      const asRead = sql<boolean>`next = ${schedule.next.next} and revision = ${schedule.revision}`
      return await db.transaction((transaction) =>
        update(transaction, 'schedules', writeNext(earlier), schedules.of(schedule), asRead),
      )
    },
  }
}

/** How many of these schedules are read at once: at least one. */
function countAtOnce(heads: readonly { readonly bytes: number }[]): number {
  let sum = 0
  const end = heads.findIndex(({ bytes }, index) => {
    sum += bytes
    return index > 0 && sum > BYTES_AT_ONCE
  })
  return end < 0 ? heads.length : end
}

/** The columns that people change. */
function writeSchedule(schedule: NewSchedule) {
  return {
    name: schedule.name,
    template_id: schedule.templateId ?? null,
    request: schedule.request ?? null,
    sealed: schedule.sealed ?? null,
    cron: schedule.cron ?? null,
    timezone: schedule.timezone ?? null,
    every: schedule.every ?? null,
    overlap: schedule.overlap,
    paused: schedule.paused ? 1 : 0,
    ...writeNext(schedule.next),
  } satisfies Partial<Insertable<Tables['schedules']>>
}

function readSchedule(row: Selectable<Tables['schedules']>): StoredSchedule {
  const { paused, next, due, problem, problemAt, ...schedule } = fromRow(row)
  return {
    ...schedule,
    paused: paused === 1,
    next: next === undefined || due === undefined ? undefined : { next, due },
    problem: problem === undefined ? undefined : { at: problemAt ?? 0, detail: problem },
  }
}
