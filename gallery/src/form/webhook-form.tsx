import { useState } from 'preact/hooks'
import {
  EVENTS,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type WebhookEvent,
  type WebhookFormat,
} from '../../../src/contract/webhook-names.ts'
import type { Webhook, WebhookRequest } from '../../../src/contract/webhooks.ts'
import { FORMAT_WORDS } from '../webhook-words.ts'
import { MistakeList, mistakenBy, SelectInput, TextInput } from './inputs.tsx'
import { placeAt, useSending } from './use-sending.ts'

const FIELDS = {
  name: ['webhookName', 'The name'],
  url: ['webhookUrl', 'The address'],
  events: ['webhookEvents', 'The list'],
  format: ['webhookFormat', 'The format'],
} as const

const FORMATS = WEBHOOK_FORMATS.map((format) => [format, FORMAT_WORDS[format]] as const)

/** The form of a webhook: of a new one, or of one that is changed. */
export function WebhookForm({
  before,
  submit: words,
  send,
}: {
  before?: Webhook
  submit: string
  send: (webhook: WebhookRequest) => Promise<void>
}) {
  const [name, setName] = useState(before?.name ?? '')
  const [url, setUrl] = useState(before?.url ?? '')
  const [events, setEvents] = useState<readonly WebhookEvent[]>(before?.events ?? ['root.finished'])
  const [format, setFormat] = useState<WebhookFormat>(before?.format ?? 'standard')
  const { busy, mistakes, submit, element } = useSending(
    () =>
      send({
        name: name.trim(),
        url: url.trim(),
        events: [...events],
        format,
        paused: before?.paused ?? false,
      }),
    (told) => placeAt(FIELDS, told),
  )
  const wrongEvents = mistakenBy('webhookEvents', mistakes['webhookEvents'])
  return (
    <form ref={element} class="plain-form" onSubmit={submit} noValidate>
      <TextInput
        name="webhookName"
        label="Name"
        placeholder="Our build server"
        value={name}
        onText={setName}
        mistakes={mistakes['webhookName']}
      />
      <TextInput
        name="webhookUrl"
        label="Address"
        hint="deliveries are sent with POST"
        inputMode="url"
        placeholder="https://example.com/hooks/screenshots"
        value={url}
        onText={setUrl}
        mistakes={mistakes['webhookUrl']}
      />
      <fieldset class="field" aria-describedby={wrongEvents['aria-describedby']}>
        <legend>Notify it when</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} class="check plain-check">
            <input
              type="checkbox"
              name="webhookEvents"
              aria-invalid={wrongEvents['aria-invalid']}
              checked={events.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                setEvents(WEBHOOK_EVENTS.filter((one) => (one === event ? checked : events.includes(one))))
              }
            />
            <span>
              {EVENTS[event].words} <code>{event}</code>
            </span>
          </label>
        ))}
        <MistakeList place="webhookEvents" mistakes={mistakes['webhookEvents']} />
      </fieldset>
      <SelectInput
        name="webhookFormat"
        label="Format"
        value={format}
        choices={FORMATS}
        onChoose={(value) => setFormat(value as WebhookFormat)}
        mistakes={mistakes['webhookFormat']}
      />
      <MistakeList place="form" mistakes={mistakes['form']} />
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Sending…' : words}
      </button>
    </form>
  )
}
