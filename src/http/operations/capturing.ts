import { openProject } from '../../access/door.ts'
import { paths } from '../../contract/paths.ts'
import { parseScreenshotRequest } from '../../contract/screenshot-request.ts'
import { timeOf } from '../../contract/when.ts'
import { AppError, wrongRequest } from '../../errors.ts'
import { acceptedResponse, acceptRoot, readIdempotencyKey } from '../answers/accept-root.ts'
import type { HttpContext } from '../context.ts'
import { type Declare, logAct } from '../operation.ts'

export function capturing(declare: Declare, context: HttpContext): void {
  const { cancel, clock, config, door, requests, requireBrowser } = context
  declare({
    id: 'requestScreenshots',
    summary: 'Request screenshots',
    description:
      'The root can be read at once, with no jobs; each job appears as soon as its pictures are stored.',
    method: 'POST',
    path: paths.requestScreenshots,
    header: 'Idempotency-Key',
    body: {
      schema: 'ScreenshotRequest',
      read(json) {
        const { asked, when, mistakes } = parseScreenshotRequest(json, config.limits)
        if (!asked) throw wrongRequest(mistakes)
        return { asked, when }
      },
    },
    answers: { 201: acceptedResponse },
    fails: ['no_browser'],
    async run(request, reply, { asked, when }) {
      const idempotencyKey = readIdempotencyKey(request)
      await requireBrowser()
      const projectId = openProject(request.params.projectId, request.apiKey)
      const now = clock()
      const scheduled = timeOf(when, now)
      const origin = scheduled === undefined ? {} : { scheduled }
      const digested = { ...asked, when, by: request.apiKey?.keyId }
      const accept = () => requests.accept(projectId, digested, { now, idempotencyKey, origin })
      return await acceptRoot(request, reply, context, { projectId, accept })
    },
  })
  declare({
    id: 'cancelRoot',
    summary: 'Cancel a scheduled root',
    description:
      'Only before it has begun. The root stays, without jobs and with the state `cancelled`; its secrets are removed.',
    method: 'DELETE',
    path: paths.cancelRoot,
    answers: { 204: { description: 'It is cancelled, now or earlier.' } },
    fails: ['conflict'],
    async run(request, reply) {
      const { projectId, rootId } = await door.getRoot(request.params, request.apiKey)
      if (!(await cancel({ projectId, rootId })))
        throw new AppError('conflict', 'this root has begun: only a scheduled root can be cancelled')
      logAct(request, 'scheduled root cancelled', { projectId, rootId })
      return await reply.code(204).send(null)
    },
  })
}
