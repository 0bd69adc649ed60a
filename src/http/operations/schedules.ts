import { paths } from '../../contract/paths.ts'
import { ProjectParams, ScheduleParams } from '../../contract/requests.ts'
import {
  type Schedule,
  ScheduleList,
  SchedulePreview,
  SchedulePreviewRequest,
} from '../../contract/schedules.ts'
import type { Asked } from '../../results/answer.ts'
import { decodeCursor, encodeCursor } from '../../results/cursor.ts'
import type { StoredSchedule } from '../../schedules/schedules.ts'
import { acceptedResponse, acceptRoot } from '../answers/accept-root.ts'
import { toJson, wholeAnswer } from '../answers/send-answer.ts'
import type { HttpContext } from '../context.ts'
import { type Declare, logAct } from '../operation.ts'
import { declareResource } from '../resource.ts'
import { clientOf } from '../rules/client-of.ts'
import { requireValid } from '../rules/read-json.ts'

export function schedules(declare: Declare, context: HttpContext): void {
  const { door, lastRoots, requireBrowser, schedules, turns } = context
  /** With their last roots. */
  const showAll = async (stored: readonly StoredSchedule[], asked: Asked): Promise<Schedule[]> => {
    const [{ projectId } = { projectId: '' }] = stored
    const last = await lastRoots(
      { projectId, rootIds: stored.flatMap(({ lastRoot }) => lastRoot ?? []) },
      asked,
    )
    const shown: Schedule[] = []
    for (const each of stored) {
      const root = each.lastRoot === undefined ? undefined : last.get(each.lastRoot)
      shown.push({ ...(await schedules.show(each)), ...(root && { last: root }) })
    }
    return shown
  }
  declareResource(declare, context, {
    name: 'schedule',
    tag: 'Schedules',
    paths: { all: paths.schedules, one: paths.schedule },
    ids: ScheduleParams,
    schemaOfList: ScheduleList,
    changesWith: 'the schedule, not with its runs',
    words: {
      list: {
        summary: 'List the schedules of a project',
        description:
          'Oldest first, each with its next times and its last root. If their requests are long, a list page may have fewer than `limit`.',
        answer: 'The schedules.',
      },
      create: {
        summary: 'Create a schedule',
        description: 'A schedule creates a root at each of its times.',
        answer: 'The schedule, with its next times.',
        fails: ['conflict'],
      },
      get: {
        summary: 'Get a schedule',
        description: 'With its next times and its last root.',
        answer: 'The schedule.',
      },
      change: {
        summary: 'Change or pause a schedule',
        description: 'Replaces all fields. An empty string instead of a secret keeps the secret.',
        answer: 'The changed schedule, with its next times.',
      },
      remove: {
        summary: 'Remove a schedule',
        description: 'Its roots stay.',
        answer: 'It is removed, with its secrets.',
      },
    },
    find: (ids, visitor) => door.getSchedule(ids, visitor),
    async list({ projectId }, { limit, cursor }, asked) {
      const after = cursor === undefined ? undefined : decodeCursor(cursor)
      const { schedules: some, next } = await asked.inTurn(() => schedules.list(projectId, { after, limit }))
      const shown = await showAll(some, asked)
      return { ...wholeAnswer(toJson(shown)), nextCursor: next && encodeCursor(next) }
    },
    create: (projectId, body) => schedules.create(projectId, body),
    change: (row, body, revision) => schedules.change(row, body, { revision }),
    remove: (row, revision) => schedules.remove(row, { revision }),
    render: async (row, asked) => toJson((await showAll([row], asked))[0]),
  })
  declare({
    id: 'runSchedule',
    tag: 'Schedules',
    summary: 'Run a schedule now',
    description:
      'Its regular times are unaffected. It also runs if it is paused, or if the previous root is unfinished.',
    access: 'write',
    method: 'POST',
    path: paths.runSchedule,
    params: ScheduleParams,
    body: 'ignored',
    answers: { 201: acceptedResponse },
    fails: ['no_browser'],
    async run(request, reply) {
      const schedule = await door.getSchedule(request.params, request.apiKey)
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
    tag: 'Schedules',
    summary: 'Preview the times of a schedule',
    description: 'Creates nothing.',
    method: 'POST',
    path: paths.previewSchedule,
    params: ProjectParams,
    body: { schema: 'SchedulePreviewRequest', read: (json) => requireValid(SchedulePreviewRequest, json) },
    answers: {
      200: { description: 'The times.', content: { 'application/json': { schema: SchedulePreview } } },
    },
    async run(request, reply, times) {
      await door.getProject(request.params, request.apiKey)
      const next = await turns.run(clientOf(request), () => schedules.preview(times))
      return await reply.header('cache-control', 'no-store').send({ next })
    },
  })
}
