import { useState } from 'preact/hooks'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'
import { ServiceTrouble } from '../parts/service-trouble.tsx'
import { type Draft, lacksSecrets, NEW } from './draft.ts'
import { CheckField, type Form, MistakesAt, TextField } from './fields.tsx'
import { findDraft } from './kept-drafts.ts'
import { placeMistakes } from './mistakes.ts'
import { RequestFields } from './request-fields.tsx'
import { SecretsNotice } from './secrets-notice.tsx'
import { toRequest } from './to-request.ts'
import { useKeptDraft } from './use-kept-draft.ts'
import { useSending } from './use-sending.ts'

/** The purpose of the form. */
export interface Purpose {
  readonly title: string
  /** The words on its button. */
  readonly submit: string
  /** A template has a name. A request may begin later. */
  readonly isTemplate?: boolean
  /** The template that is edited: secrets that stay empty are kept. */
  readonly before?: Draft
  /** Sends the request, and goes on. */
  send(request: ScreenshotRequest, draft: Draft): Promise<void>
}

export function CaptureForm({ title, submit: submitWords, isTemplate = false, before, send }: Purpose) {
  const [{ name, draft: kept }] = useState(findDraft)
  const [draft, setDraft] = useState(kept ?? before ?? NEW)
  const [hasNoSecrets] = useState(() => lacksSecrets(draft))
  useKeptDraft(name, draft)
  const { busy, mistakes, submit, element } = useSending(
    () => send(toRequest(draft), draft),
    (told) => placeMistakes(draft, told),
  )
  const form: Form = { draft, mistakes, change: (fields) => setDraft((now) => ({ ...now, ...fields })) }
  return (
    <form ref={element} class="capture" onSubmit={submit} noValidate>
      <h1>{title}</h1>
      {!isTemplate && <ServiceTrouble />}
      {hasNoSecrets && <SecretsNotice areKept={before !== undefined} />}
      {isTemplate && <TextField form={form} name="templateName" label="Name" placeholder="Nightly" />}
      <RequestFields form={form} isOpened={hasNoSecrets && !before} />
      {isTemplate && (
        <CheckField
          form={form}
          name="otherPages"
          label="Runs may name other pages of the same sites"
          hint="then everyone who may run it can send its password, headers and cookies to them, and see the pictures"
        />
      )}
      {!isTemplate && (
        <TextField
          form={form}
          name="later"
          type="datetime-local"
          label="When"
          hint="leave it empty to capture now"
        />
      )}
      <MistakesAt form={form} place="form" />
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Sending…' : submitWords}
      </button>
    </form>
  )
}
