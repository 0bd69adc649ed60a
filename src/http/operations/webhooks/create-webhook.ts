import { paths, pathTo } from '../../../contract/paths.ts'
import { ProjectParams } from '../../../contract/requests.ts'
import { logAct } from '../../answers/log-act.ts'
import type { HttpContext, Server } from '../../context.ts'
import { originOf } from '../../rules/origin.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { BODY_PROBLEMS, sendWebhook, TAGS, webhookProblems, webhookResponse } from './webhook-answer.ts'

export function createWebhook(server: Server, readJson: ReadJson, context: HttpContext): void {
  server.route({
    method: 'POST',
    url: paths.webhooks,
    config: { access: 'write' },
    schema: {
      operationId: 'createWebhook',
      tags: TAGS,
      summary: 'Make a webhook',
      description:
        'It is told of what happens from now on. Each delivery is a POST, signed as Standard Webhooks says; any answer of 2xx within ' +
        '15 seconds is a success. Others are tried again for about a day.',
      params: ProjectParams,
      body: { $ref: 'WebhookRequest#' },
      response: {
        201: webhookResponse('The webhook, with its secret. The secret is not shown again.'),
        ...webhookProblems('conflict', ...BODY_PROBLEMS),
      },
    },
    handler: async (request, reply) => {
      const body = await readJson(request, reply, (any) => any)
      const { projectId } = await context.door.getProject(request.params, request.apiKey)
      const made = await context.webhooks.create(projectId, body)
      const { webhookId } = made.webhook
      logAct(request, 'webhook made', { projectId, webhookId })
      const path = pathTo(paths.webhook, projectId, webhookId)
      return await sendWebhook(reply.code(201).header('location', originOf(request, context) + path), made)
    },
  })
}
