import { useRef, useState } from 'preact/hooks'
import type { Versioned } from '../../../src/client/client.ts'
import type { Webhook, WebhookRequest } from '../../../src/contract/webhooks.ts'
import { toWebhooks } from '../addresses.ts'
import { WebhookForm } from '../form/webhook-form.tsx'
import { go } from '../navigation.ts'
import { client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { conditionOf, FORMAT_WORDS, toldWhen } from '../webhook-words.ts'
import { Confirm } from './confirm.tsx'

/** The state of a webhook, and its buttons. */
export function WebhookHeading({
  projectId,
  webhook,
  onChanged,
  onSecret,
}: {
  projectId: string
  webhook: Versioned<Webhook>
  onChanged: () => void
  onSecret: (secret: string) => void
}) {
  const { webhookId, name, url, events, format, paused, off, version } = webhook
  /** As it was when the form was opened: others may change it meanwhile. */
  const [edited, setEdited] = useState<Versioned<Webhook>>()
  const editButton = useRef<HTMLButtonElement>(null)
  const { busy, said, act } = useAct()
  const { look, words } = conditionOf(webhook)
  const change = async (next: WebhookRequest, expected = version) => {
    await client.changeWebhook(projectId, webhookId, next, { version: expected })
    onChanged()
  }
  const set = (isPaused: boolean) =>
    act(() => change({ name, url, events: [...events], format, paused: isPaused }))
  return (
    <>
      <div class="heading">
        <div>
          <h1 dir="auto">{name}</h1>
          <p class="soft">
            <span class={`state ${look}`}>{words}</span>
          </p>
          <p class="address" dir="ltr">
            {url}
          </p>
          <p class="soft">
            {FORMAT_WORDS[format]}. Told {toldWhen(events)}.
          </p>
        </div>
        <div class="actions">
          <button
            type="button"
            aria-disabled={busy}
            onClick={() =>
              act(async () => {
                await client.testWebhook(projectId, webhookId)
                onChanged()
                return 'A test is on its way.'
              })
            }
          >
            Send a test
          </button>
          {off ? (
            <button type="button" class="primary" aria-disabled={busy} onClick={() => set(false)}>
              Switch on again
            </button>
          ) : (
            <button type="button" aria-disabled={busy} onClick={() => set(!paused)}>
              {paused ? 'Resume' : 'Pause'}
            </button>
          )}
          <button
            ref={editButton}
            type="button"
            class="opens"
            aria-expanded={edited !== undefined}
            aria-controls="edit-webhook"
            onClick={() => setEdited(edited ? undefined : webhook)}
          >
            Edit
          </button>
          <Confirm
            label="New secret"
            question="Create a new secret? The previous one is valid for another day."
            yes="Create a new one"
            no="Keep the secret"
            busy={busy}
            onYes={() =>
              act(async () => {
                const { secret = '' } = await client.rotateSecret(projectId, webhookId)
                onSecret(secret)
                onChanged()
              })
            }
          />
          <Confirm
            label="Remove"
            question="Remove it? Pending deliveries are dropped."
            yes="Remove it"
            busy={busy}
            onYes={() =>
              act(async () => {
                await client.removeWebhook(projectId, webhookId)
                go(toWebhooks(projectId))
              })
            }
          />
          <p class="soft said" role="status">
            {said}
          </p>
        </div>
      </div>
      <div id="edit-webhook" class="group editing" hidden={!edited}>
        {edited && (
          <WebhookForm
            before={edited}
            submit="Save the webhook"
            send={async (next) => {
              await change(next, edited.version)
              // Before the form is gone, and its focus with it.
              editButton.current?.focus()
              setEdited(undefined)
            }}
          />
        )}
      </div>
    </>
  )
}
