import { randomUUID } from 'node:crypto'
import { keepRequest, refillRequest, showRequest } from '../capture/kept-request.ts'
import { defined } from '../contract/defined.ts'
import { parseId } from '../contract/ids.ts'
import { isNothing } from '../contract/options/given.ts'
import { NEXT_TIMES, type Schedule, type ScheduleRequest } from '../contract/schedules.ts'
import { need, wrongRequest } from '../errors.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { decodeCursor, encodeCursor, type ListPage } from '../store/cursor.ts'
import { untilUnchanged } from '../store/owned.ts'
import type { NewSchedule, ScheduleKey, StoredSchedule, Times } from '../store/schedules.ts'
import type { Store } from '../store/store.ts'
import { otherWork } from '../work/other-work.ts'
import { mistakesOfTimes } from './check-times.ts'
import { firstNext, nextAfterOf, nextTimes } from './occurrences.ts'
import { type AskedSchedule, type ParseOptions, parseSchedule } from './parse-schedule.ts'
import { placeOf } from './prepare.ts'
import type { ScheduleRuns } from './runs.ts'

export type { StoredSchedule } from '../store/schedules.ts'

export interface SchedulesOptions {
  readonly runs: ScheduleRuns
  readonly ring: KeyRing
  readonly limits: ParseOptions['limits'] & { readonly schedules: number }
  readonly clock: () => number
  readonly spreadMs: number
  /** The timer of this process looks at once. */
  readonly wake: () => void
}

const UNKNOWN_TEMPLATE = { pointer: '#/templateId', detail: 'must be a template of this project' }

/** Creates, changes, removes and runs recurring schedules. Bodies are any JSON: `bad_request` names all their mistakes. */
export class Schedules {
  readonly #store: Pick<Store, 'schedules' | 'templates'>
  readonly #options: SchedulesOptions

  constructor(store: Pick<Store, 'schedules' | 'templates'>, options: SchedulesOptions) {
    this.#store = store
    this.#options = options
  }

  /** Fewer than `limit`, if their requests are long; but at least one, if there is one. */
  async list(projectId: string, { limit, cursor }: ListPage) {
    const { schedules } = this.#store
    const after = cursor === undefined ? undefined : decodeCursor(cursor)
    const found = await schedules.page(projectId, { after, limit, mayBeFewer: true })
    const last = found.at(-1)
    const position = last && { created: last.created, id: last.scheduleId }
    const hasMore = position && (await schedules.hasAfter(projectId, position))
    return { schedules: found, nextCursor: hasMore ? encodeCursor(position) : undefined }
  }

  /** Throws `not_found`. */
  async get(key: ScheduleKey): Promise<StoredSchedule> {
    return need(await this.#store.schedules.find(key))
  }

  async create(projectId: string, body: unknown): Promise<StoredSchedule> {
    const now = await this.#now()
    const asked = await this.#check(projectId, body, { now })
    const key = { projectId, scheduleId: randomUUID() }
    const { limits, wake } = this.#options
    await otherWork()
    const row = this.#toRow(key, asked, { created: now, now })
    await otherWork()
    const made = await this.#store.schedules.create(row, { most: limits.schedules })
    wake()
    return made
  }

  /** Replaces a schedule. An empty string in the place of a secret keeps the secret. */
  async change(before: StoredSchedule, body: unknown, revision?: string): Promise<StoredSchedule> {
    return await this.#replace(before, revision, async (current, now) => {
      const { request, sealed } = current
      const given = (body as { request?: unknown } | null)?.request
      const unlock = { ring: this.#options.ring, place: placeOf(current) }
      const refilled = request && given ? refillRequest(given, { request, sealed }, unlock) : undefined
      await otherWork()
      const asked = await this.#check(current.projectId, body, { now, refilled })
      await otherWork()
      return this.#toRow(current, asked, { created: current.created, now })
    })
  }

  /** A schedule that is paused does not run. Times that it misses meanwhile are not made up for. */
  async setPaused(before: StoredSchedule, paused: boolean): Promise<StoredSchedule> {
    return await this.#replace(before, undefined, async (current, now) => {
      const next = paused ? undefined : firstNext(current, now, this.#options.spreadMs)
      return { ...current, paused, next }
    })
  }

  /** Throws `not_found`, `precondition_failed`. Its roots stay. */
  async remove(key: ScheduleKey, revision?: string): Promise<void> {
    await this.#store.schedules.remove(key, { revision })
  }

  /** Runs it now; its regular times are unaffected. Returns the id of the root. */
  async run(schedule: StoredSchedule): Promise<string> {
    return await this.#options.runs.runNow(schedule)
  }

  /** The next times of a schedule that does not exist yet. */
  async preview(times: Pick<ScheduleRequest, 'cron' | 'timezone' | 'every'>): Promise<number[]> {
    const now = await this.#now()
    const { scheduleIntervalMs } = this.#options.limits
    const mistakes = mistakesOfTimes(times, { now, minIntervalMs: scheduleIntervalMs })
    if (mistakes.length > 0) throw wrongRequest(mistakes)
    const { cron, timezone, every } = times
    return nextTimes(nextAfterOf({ cron, timezone, every }, now), now, NEXT_TIMES)
  }

  /** As clients see it, without its last root. Finding the times takes a few milliseconds, so others come in between. */
  async show(schedule: StoredSchedule): Promise<Schedule> {
    await otherWork()
    const { scheduleId, name, templateId, request, cron, timezone, every, overlap, paused } = schedule
    const { created, changed, runs, late, skipped, lastSkipped, problem } = schedule
    const own = request === undefined ? undefined : showRequest({ request })
    return defined({
      ...{ scheduleId, name, templateId, request: own },
      ...{ cron, timezone, every, overlap, paused, next: timesOf(schedule) },
      ...{ created, changed, runs, late, skipped, lastSkipped, problem },
    })
  }

  async #now(): Promise<number> {
    return await this.#store.schedules.timeAt(this.#options.clock())
  }

  async #check(
    projectId: string,
    body: unknown,
    more: Pick<ParseOptions, 'now' | 'refilled'>,
  ): Promise<AskedSchedule> {
    const { asked, mistakes = [] } = parseSchedule(body, { limits: this.#options.limits, ...more })
    const named = (body as { templateId?: unknown } | null)?.templateId
    const templateId = typeof named === 'string' ? parseId(named) : undefined
    const isUnknown =
      typeof named === 'string' &&
      !isNothing(named) &&
      !mistakes.some(({ pointer }) => pointer === UNKNOWN_TEMPLATE.pointer) &&
      (templateId === undefined || !(await this.#store.templates.has({ projectId, templateId })))
    if (!asked || isUnknown) throw wrongRequest([...mistakes, ...(isUnknown ? [UNKNOWN_TEMPLATE] : [])])
    return { ...asked, templateId }
  }

  #toRow(
    key: ScheduleKey,
    { given, name, templateId, cron, timezone, every, overlap, paused }: AskedSchedule,
    { created, now }: { created: number; now: number },
  ): NewSchedule {
    const { ring, spreadMs } = this.#options
    const none = { request: undefined, sealed: undefined }
    const kept = given ? keepRequest(given, ring, placeOf(key)) : none
    const { projectId, scheduleId } = key
    const row = { projectId, scheduleId, name, templateId, cron, timezone, every, overlap, paused, created }
    return { ...row, ...kept, next: paused ? undefined : firstNext(row, now, spreadMs) }
  }

  /** If another change came first, it is done again: the secrets of that change are the ones that are kept now. */
  async #replace(
    before: StoredSchedule,
    revision: string | undefined,
    change: (current: StoredSchedule, now: number) => Promise<NewSchedule>,
  ): Promise<StoredSchedule> {
    const changed = await untilUnchanged(
      before,
      revision,
      () => this.get(before),
      async (current) => {
        const now = await this.#now()
        const row = await change(current, now)
        await otherWork()
        const keepNext = !current.paused && !row.paused && isSameTimes(current, row)
        return await this.#store.schedules.change(
          { ...row, changed: now },
          { revision: current.revision, keepNext },
        )
      },
    )
    this.#options.wake()
    return changed
  }
}

function isSameTimes(one: Times, other: Times): boolean {
  return one.cron === other.cron && one.timezone === other.timezone && one.every === other.every
}

function timesOf(schedule: StoredSchedule): number[] {
  if (!schedule.next) return []
  const { next } = schedule.next
  return [next, ...nextTimes(nextAfterOf(schedule, schedule.created), next, NEXT_TIMES - 1)]
}
