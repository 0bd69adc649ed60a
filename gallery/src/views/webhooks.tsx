import { useEffect } from 'preact/hooks'
import { MOST_PENDING } from '../../../src/contract/states.ts'
import type { Webhook } from '../../../src/contract/webhooks.ts'
import { toWebhook } from '../addresses.ts'
import { Layout } from '../parts/layout.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { conditionOf, toldWhen } from '../webhook-words.ts'

const PAGE = 50

export function WebhooksView({ projectId }: { projectId: string }) {
  const webhooks = useListing(
    `webhooks ${projectId}`,
    () => client.listWebhooks(projectId, { limit: atATime(PAGE) }),
    () => undefined,
  )
  const { items } = webhooks
  useEffect(() => {
    if (!webhooks.complete) webhooks.more()
  }, [webhooks, items.length])
  return (
    <Layout title="Webhooks" projectId={projectId} place="webhooks">
      {items.length > 0 && (
        <div class="heading">
          <h1>Webhooks</h1>
          <p class="actions">
            <a class="button" href={toWebhook(projectId)}>
              New webhook
            </a>
          </p>
        </div>
      )}
      <ul class="webhooks">
        {items.map((webhook) => (
          <li key={webhook.webhookId}>
            <WebhookRow projectId={projectId} webhook={webhook} />
          </li>
        ))}
      </ul>
      {webhooks.failure !== undefined && (
        <Problem failure={webhooks.failure} retry={() => webhooks.retry()} />
      )}
      {webhooks.growing && <Waiting />}
      {webhooks.complete && items.length === 0 && (
        <div class="empty">
          <h1>There are no webhooks yet</h1>
          <p>A webhook notifies another server, Slack or Discord when screenshots are done.</p>
          <p>
            <a class="primary" href={toWebhook(projectId)}>
              Create a webhook
            </a>
          </p>
        </div>
      )}
    </Layout>
  )
}

function WebhookRow({ projectId, webhook }: { projectId: string; webhook: Webhook }) {
  const { webhookId, name, url, events, pending } = webhook
  const { look, words } = conditionOf(webhook)
  return (
    <a class="webhook" href={toWebhook(projectId, webhookId)}>
      <strong dir="auto">{name}</strong>
      <span class={`state ${look}`}>{words}</span>
      <span class="address" dir="ltr">
        {url}
      </span>
      <span class="soft">
        {pending > 0 && `${pending}${pending >= MOST_PENDING ? ' or more' : ''} to deliver`}
      </span>
      <span class="soft">{toldWhen(events)}</span>
    </a>
  )
}
