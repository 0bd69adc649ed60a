import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Schedule } from '../../../contract/schedules.ts'
import type { StoredSchedule } from '../../../schedules/schedules.ts'
import type { HttpContext } from '../../context.ts'
import { etagOf } from '../../rules/if-match.ts'
import { originOf } from '../../rules/origin.ts'

export const scheduleResponse = (description: string) => ({
  description,
  headers: {
    ETag: {
      type: 'string',
      description: 'Send it back in `If-Match`. It changes with the schedule, not with its runs.',
    },
  },
  content: { 'application/json': { schema: { $ref: 'Schedule#' } } },
})

/** Schedules as clients see them, with their last roots. */
export async function showSchedules(
  stored: readonly StoredSchedule[],
  request: FastifyRequest,
  context: HttpContext,
): Promise<Schedule[]> {
  const [{ projectId } = { projectId: '' }] = stored
  const rootIds = stored.flatMap(({ lastRoot }) => lastRoot ?? [])
  const last = await context.lastRoots(
    { projectId, rootIds },
    { now: context.clock(), origin: originOf(request, context) },
  )
  const shown: Schedule[] = []
  for (const each of stored) {
    const root = each.lastRoot === undefined ? undefined : last.get(each.lastRoot)
    shown.push({ ...(await context.schedules.show(each)), ...(root && { last: root }) })
  }
  return shown
}

/** Answers one schedule. */
export async function sendSchedule(
  stored: StoredSchedule,
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
): Promise<FastifyReply> {
  const [shown] = await showSchedules([stored], request, context)
  return await reply.header('etag', etagOf(stored)).header('cache-control', 'no-store').send(shown)
}
