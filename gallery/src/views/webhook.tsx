import { useState } from 'preact/hooks'
import type { Webhook } from '../../../src/contract/webhooks.ts'
import { toWebhook } from '../addresses.ts'
import { WebhookForm } from '../form/webhook-form.tsx'
import { go } from '../navigation.ts'
import { Deliveries } from '../parts/deliveries.tsx'
import { Layout } from '../parts/layout.tsx'
import { Once } from '../parts/once.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { WebhookHeading } from '../parts/webhook-heading.tsx'
import { client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'

/** One webhook: its state, its buttons and its deliveries. Without an id: the form of a new one. */
export function WebhookView({ projectId, webhookId }: { projectId: string; webhookId: string }) {
  return webhookId === '' ? <NewWebhook projectId={projectId} /> : <Known {...{ projectId, webhookId }} />
}

function NewWebhook({ projectId }: { projectId: string }) {
  const [made, setMade] = useState<Webhook>()
  return (
    <Layout title="New webhook" projectId={projectId} place="webhooks">
      <div class="capture">
        <h1>{made ? made.name : 'New webhook'}</h1>
        {made?.secret === undefined ? (
          <WebhookForm
            submit="Create the webhook"
            send={async (webhook) => {
              const next = await client.createWebhook(projectId, webhook)
              // Slack and Discord check no signatures.
              if (next.format === 'standard') setMade(next)
              else go(toWebhook(projectId, next.webhookId))
            }}
          />
        ) : (
          <>
            <Secret secret={made.secret} />
            <p>
              <a class="button" href={toWebhook(projectId, made.webhookId)}>
                See its deliveries
              </a>
            </p>
          </>
        )}
      </div>
    </Layout>
  )
}

function Secret({ secret, onDone }: { secret: string; onDone?: () => void }) {
  return (
    <Once title="Its secret" text={secret} {...(onDone && { onDone })}>
      It is not shown again. The receiver checks the signature of each delivery with it, as described by
      Standard Webhooks.
      {onDone && ' The previous secret is valid for another day.'}
    </Once>
  )
}

function Known({ projectId, webhookId }: { projectId: string; webhookId: string }) {
  const { value, failure, reload } = useAnswer(`webhook ${projectId} ${webhookId}`, (signal) =>
    client.getWebhook(projectId, webhookId, { signal }),
  )
  const [secret, setSecret] = useState('')
  const [acts, setActs] = useState(0)
  const onChanged = () => {
    reload()
    setActs((count) => count + 1)
  }
  return (
    <Layout title={value?.name ?? 'Webhook'} projectId={projectId} place="webhooks">
      {failure !== undefined && <Problem failure={failure} retry={reload} />}
      {!value && failure === undefined && <Waiting />}
      {value && (
        <>
          <WebhookHeading projectId={projectId} webhook={value} onChanged={onChanged} onSecret={setSecret} />
          {secret !== '' && <Secret secret={secret} onDone={() => setSecret('')} />}
          <Deliveries projectId={projectId} webhookId={webhookId} acts={acts} onLook={reload} />
        </>
      )}
    </Layout>
  )
}
