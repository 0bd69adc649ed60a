import { createClient } from '../../../src/client/client.ts'
import type { WebhookRequest } from '../../../src/contract/webhooks.ts'
import type { NotificationTimes } from '../../../src/service/notifications.ts'
import { makeProject } from '../store/results.ts'
import type { Received } from './receiver.ts'
import { startService, type TestService } from './service.ts'

/** Settings for short tests: the service looks often, and soon tries again. */
export const SOON: NotificationTimes = { lookMs: 20, pauses: Array.from({ length: 10 }, () => 20) }

/** A service with a real clock, a project, a client, and permission to reach this machine. */
export async function startDelivering(
  env: Record<string, string> = {},
  times: NotificationTimes = {},
): Promise<TestService & { projectId: string; client: ReturnType<typeof createClient> }> {
  const service = await startService(
    { WEBHOOK_ALLOW: '127.0.0.1', CAPTURE_CONCURRENCY: '0', ...env },
    { delivering: { ...SOON, ...times } },
  )
  Object.defineProperty(service, 'now', { get: () => Date.now() })
  const projectId = await makeProject(service.store)
  return Object.assign(service, { projectId, client: createClient({ server: service.url }) })
}

export function webhookTo(url: string, more: Partial<WebhookRequest> = {}): WebhookRequest {
  return { name: 'Mine', url, events: ['screenshot.done', 'screenshot.failed', 'root.finished'], ...more }
}

export const eventsOf = (received: readonly Received[]) =>
  received.map(({ headers }) => headers['proofsheet-event'])
