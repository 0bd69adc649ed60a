import type { LastRoot } from '../../contract/owned.ts'
import { paths } from '../../contract/paths.ts'
import {
  createScheduleRequest,
  Schedule,
  ScheduleList,
  SchedulePreview,
  SchedulePreviewRequest,
} from '../../contract/schedules.ts'
import { requireValid } from '../../errors.ts'
import type { Asked } from '../../results/answer.ts'
import type { Schedules, StoredSchedule } from '../../schedules/schedules.ts'
import { acceptedResponse, acceptRoot } from '../answers/accept-root.ts'
import { EXAMPLE, named } from '../answers/api.ts'
import { json } from '../answers/responses.ts'
import { toJson } from '../answers/send-answer.ts'
import { clientOf } from '../context.ts'
import { type Chapter, logAct } from '../operation.ts'
import { declareResource } from '../resource.ts'

/** The last roots of schedules, by their ids. */
type FindLastRoots = (rows: readonly StoredSchedule[], asked: Asked) => Promise<Map<string, LastRoot>>

const { request, created, last } = EXAMPLE
const TIMES = { cron: '0 2 * * *', timezone: 'Europe/Berlin' }
const DAY_MS = 86_400_000

export const schedules = (schedules: Schedules, lastRoots: FindLastRoots): Chapter => ({
  name: 'Schedules',
  description: 'Requests that run repeatedly, at fixed times.',
  schemas: (limits) => [
    named(createScheduleRequest(limits), { name: 'Every night at two', ...TIMES, request }),
    named(SchedulePreviewRequest, TIMES),
    named(Schedule, {
      ...{ scheduleId: '5b0c7a1e-93d4-4c7e-8f58-1d2f6a7b8c90', name: 'Every night at two', request },
      ...{ ...TIMES, overlap: 'skip', paused: false },
      next: [0, 1, 2, 3, 4].map((days) => created + days * DAY_MS),
      ...{ created, changed: created, runs: 31, late: 0, skipped: 1, lastSkipped: created - DAY_MS, last },
    }),
  ],
  declare(declare, context) {
    const { door, requireBrowser, turns } = context
    /** With their last roots. */
    const showAll = async (stored: readonly StoredSchedule[], asked: Asked): Promise<Schedule[]> => {
      const last = await lastRoots(stored, asked)
      const shown: Schedule[] = []
      for (const each of stored) {
        const root = last.get(each.lastRoot ?? '')
        shown.push({ ...(await schedules.show(each)), ...(root && { last: root }) })
      }
      return shown
    }
    const { find } = declareResource(declare, context, {
      name: 'schedule',
      schemaOfList: ScheduleList,
      changesWith: 'the schedule, not with its runs',
      words: {
        list: {
          description:
            'Oldest first, each with its next times and its last root. If their requests are long, a list page may have fewer than `limit`.',
        },
        create: {
          description: 'A schedule creates a root at each of its times.',
          answer: 'The schedule, with its next times.',
        },
        get: {
          summary: 'Get a schedule',
          description: 'With its next times and its last root.',
        },
        change: {
          summary: 'Change or pause a schedule',
          description: 'Replaces all fields. An empty string instead of a secret keeps the secret.',
          answer: 'The changed schedule, with its next times.',
        },
        remove: { description: 'Its roots stay.', answer: 'It is removed, with its secrets.' },
      },
      use: schedules,
      async list({ projectId }, page, asked) {
        const { schedules: some, nextCursor } = await asked.inTurn(() => schedules.list(projectId, page))
        const body = toJson(await showAll(some, asked))
        return { body: () => body, nextCursor }
      },
      render: async (row, asked) => toJson((await showAll([row], asked))[0]),
    })
    declare({
      id: 'runSchedule',
      summary: 'Run a schedule now',
      description:
        'Its regular times are unaffected. It also runs if it is paused, or if the previous root is unfinished.',
      method: 'POST',
      path: paths.runSchedule,
      body: 'ignored',
      answers: { 201: acceptedResponse },
      fails: ['no_browser'],
      async run(request, reply) {
        const schedule = await find(request)
        const { projectId, scheduleId, request: kept } = schedule
        await requireBrowser()
        const accept = async () => {
          const rootId = await schedules.run(schedule)
          logAct(request, 'schedule run', { projectId, scheduleId, rootId })
          return rootId
        }
        return await acceptRoot(request, reply, context, { projectId, kept, accept })
      },
    })
    declare({
      id: 'previewSchedule',
      summary: 'Preview the times of a schedule',
      description: 'Creates nothing.',
      access: 'read',
      method: 'POST',
      path: paths.previewSchedule,
      body: { schema: 'SchedulePreviewRequest', read: (json) => requireValid(SchedulePreviewRequest, json) },
      answers: { 200: json('The times.', SchedulePreview) },
      async run(request, reply, times) {
        await door.getProject(request.params, request.apiKey)
        const next = await turns.run(clientOf(request), () => schedules.preview(times))
        return await reply.header('cache-control', 'no-store').send({ next })
      },
    })
  },
})
