import type { Webhook } from '../../../src/contract/webhooks.ts'
import { toWebhook } from '../addresses.ts'
import { atATime, client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { mayWrite, useSession } from '../use-session.ts'
import { conditionOf } from '../webhook-words.ts'

/** The most that are read. */
const MOST = 200

/** Says which webhooks of a project fail, or were switched off. Nothing if none. */
export function WebhookTrouble({ projectId }: { projectId: string }) {
  const { session } = useSession()
  // A key that may only read does not see webhooks.
  const name = mayWrite(session, projectId) ? `webhook trouble ${projectId}` : ''
  const { value = [] } = useAnswer(name, async (signal) => {
    const wrong: Webhook[] = []
    let seen = 0
    for await (const page of client.listWebhooks(projectId, { limit: atATime(100), signal })) {
      wrong.push(...page.filter(({ off, failingSince, paused }) => off || (failingSince && !paused)))
      seen += page.length
      if (seen >= MOST) break
    }
    return wrong
  })
  return (
    <>
      {value.map((webhook) => (
        <p key={webhook.webhookId} class="notice" role="status">
          The webhook{' '}
          <a dir="auto" href={toWebhook(projectId, webhook.webhookId)}>
            {webhook.name}
          </a>{' '}
          is {conditionOf(webhook).words}
        </p>
      ))}
    </>
  )
}
