import { paths } from '../contract/paths.ts'
import type { Delivery, DeliveryState, Webhook, WebhookRequest } from '../contract/webhooks.ts'
import type { Asking, AskOptions, ChangeOptions, ListOptions, ListPages, Versioned } from './asking.ts'

export interface DeliveriesOptions extends ListOptions {
  /** Only those in this state. */
  readonly state?: DeliveryState | undefined
}

export interface WebhookCalls {
  listWebhooks(projectId: string, options?: ListOptions): ListPages<Webhook>
  getWebhook(projectId: string, webhookId: string, options?: AskOptions): Promise<Versioned<Webhook>>
  /** The answer has the secret, once. */
  createWebhook(projectId: string, webhook: WebhookRequest, options?: AskOptions): Promise<Webhook>
  changeWebhook(
    projectId: string,
    webhookId: string,
    webhook: WebhookRequest,
    options?: ChangeOptions,
  ): Promise<Webhook>
  removeWebhook(projectId: string, webhookId: string, options?: ChangeOptions): Promise<void>
  testWebhook(projectId: string, webhookId: string, options?: AskOptions): Promise<Delivery>
  /** The answer has the new secret, once. The old one is valid for another day. */
  rotateSecret(projectId: string, webhookId: string, options?: AskOptions): Promise<Webhook>
  /** Newest first. */
  listDeliveries(projectId: string, webhookId: string, options?: DeliveriesOptions): ListPages<Delivery>
  replayDelivery(
    projectId: string,
    webhookId: string,
    deliveryId: string,
    options?: AskOptions,
  ): Promise<Delivery>
  /** Sends everything again that happened at this time or later. */
  replayDeliveries(
    projectId: string,
    webhookId: string,
    from: number,
    options?: AskOptions,
  ): Promise<{ deliveries: number }>
}

export function createWebhookCalls({ getVersioned, list, to, write }: Asking): WebhookCalls {
  return {
    listWebhooks: (project, options = {}) => list(to(paths.webhooks, project), options),
    getWebhook: (project, webhook, options) => getVersioned(to(paths.webhook, project, webhook), options),
    createWebhook: (project, body, options) => write('POST', to(paths.webhooks, project), body, options),
    changeWebhook: (project, webhook, body, options) =>
      write('PUT', to(paths.webhook, project, webhook), body, options),
    removeWebhook: (project, webhook, options) =>
      write('DELETE', to(paths.webhook, project, webhook), undefined, options),
    testWebhook: (project, webhook, options) =>
      write('POST', to(paths.testWebhook, project, webhook), {}, options),
    rotateSecret: (project, webhook, options) =>
      write('POST', to(paths.rotateSecret, project, webhook), {}, options),
    listDeliveries: (project, webhook, options = {}) => list(to(paths.deliveries, project, webhook), options),
    replayDelivery: (project, webhook, delivery, options) =>
      write('POST', to(paths.replayDelivery, project, webhook, delivery), {}, options),
    replayDeliveries: (project, webhook, from, options) =>
      write('POST', to(paths.replayDeliveries, project, webhook), { from }, options),
  }
}
