import type { HttpContext, Server } from '../../context.ts'
import type { ReadJson } from '../../rules/read-json.ts'
import { changeWebhook } from './change-webhook.ts'
import { createWebhook } from './create-webhook.ts'
import { getWebhook } from './get-webhook.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listWebhooks } from './list-webhooks.ts'
import { removeWebhook } from './remove-webhook.ts'
import { replayDeliveries } from './replay-deliveries.ts'
import { replayDelivery } from './replay-delivery.ts'
import { rotateSecret } from './rotate-secret.ts'
import { testWebhook } from './test-webhook.ts'

/** `scope`: operations with a body belong to it. */
export function webhookOperations(
  server: Server,
  { scope, readJson }: { scope: Server; readJson: ReadJson },
  context: HttpContext,
): void {
  listWebhooks(server, context)
  createWebhook(scope, readJson, context)
  getWebhook(server, context)
  changeWebhook(scope, readJson, context)
  removeWebhook(server, context)
  testWebhook(scope, readJson, context)
  rotateSecret(scope, readJson, context)
  listDeliveries(server, context)
  replayDelivery(scope, readJson, context)
  replayDeliveries(scope, readJson, context)
}
