import { useEffect, useRef, useState } from 'preact/hooks'
import { ProblemError } from '../../../src/client/client.ts'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'
import { NoBrowser } from '../parts/no-browser.tsx'
import { explain } from '../parts/problem.tsx'
import { count } from '../words.ts'
import { countMore, type Draft, lacksSecrets, NEW } from './draft.ts'
import { CheckField, type Form, MistakesAt, TextField } from './fields.tsx'
import { findDraft, keepDraft, nameDraft } from './kept-drafts.ts'
import { areBehindMore, type Mistakes, placeMistakes } from './mistakes.ts'
import { OwnSecrets } from './own-secrets.tsx'
import { PageOptions } from './page-options.tsx'
import { PictureOptions } from './picture-options.tsx'
import { SizesField } from './sizes-field.tsx'
import { toRequest } from './to-request.ts'
import { VisitorOptions } from './visitor-options.tsx'

/** What the form is for. */
export interface Purpose {
  readonly title: string
  /** What its button says. */
  readonly submit: string
  /** A template has a name. */
  readonly isTemplate?: boolean
  /** What is changed: then secrets that stay empty are kept. */
  readonly before?: Draft
  /** Sends the request, and goes on. */
  send(request: ScreenshotRequest, draft: Draft): Promise<void>
}

export function CaptureForm({ title, submit: submitWords, isTemplate = false, before, send }: Purpose) {
  const [{ name, draft: kept }] = useState(findDraft)
  const [draft, setDraft] = useState(kept ?? before ?? NEW)
  const [hasNoSecrets] = useState(() => lacksSecrets(draft))
  const hasToRetype = hasNoSecrets && !before
  const [isOpen, setOpen] = useState(hasToRetype)
  const [busy, setBusy] = useState(false)
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const element = useRef<HTMLFormElement>(null)
  useKept(name, draft)
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [mistakes])
  const form: Form = { draft, mistakes, change: (fields) => setDraft((now) => ({ ...now, ...fields })) }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    try {
      await send(toRequest(draft), draft)
    } catch (failure) {
      const told = failure instanceof ProblemError && failure.errors.length > 0
      const placed = told ? placeMistakes(draft, failure.errors) : { form: [explain(failure)] }
      if (areBehindMore(placed)) setOpen(true)
      setMistakes(placed)
    } finally {
      setBusy(false)
    }
  }
  const more = countMore(draft)
  return (
    <form ref={element} class="capture" onSubmit={submit} noValidate>
      <h1>{title}</h1>
      {!isTemplate && <NoBrowser />}
      {hasToRetype && (
        <p class="notice">
          User names, passwords, and the values of headers and cookies are not kept. Type them again.
        </p>
      )}
      {hasNoSecrets && before && (
        <p class="notice">
          User names, passwords, and the values of headers and cookies are not shown. Fields that stay empty
          keep them.
        </p>
      )}
      {isTemplate && <TextField form={form} name="templateName" label="Name" placeholder="Nightly" />}
      <TextField
        form={form}
        name="addresses"
        label="Addresses, one per line"
        hint="a name after a space, if you like"
        rows={7}
        placeholder={'https://example.com/\nhttps://example.com/pricing Our prices'}
      />
      <OwnSecrets form={form} />
      <SizesField form={form} />
      <CheckField
        form={form}
        name="fullPage"
        label="Full page"
        hint="the whole page, not only what the window shows"
      />
      <TextField
        form={form}
        name="tags"
        label="Tags"
        hint="optional, separated by commas"
        placeholder="release, homepage"
      />
      <button
        type="button"
        class="opens"
        aria-expanded={isOpen}
        aria-controls="more"
        onClick={() => setOpen(!isOpen)}
      >
        More{more > 0 && ` · ${count(more, 'option')} set`}
      </button>
      <div id="more" class="more" hidden={!isOpen}>
        {isOpen && (
          <>
            <PageOptions form={form} />
            <VisitorOptions form={form} />
            <PictureOptions form={form} />
          </>
        )}
      </div>
      <MistakesAt form={form} place="form" />
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Sending…' : submitWords}
      </button>
    </form>
  )
}

/** Keeps the draft when the form or the document is left. */
function useKept(name: string, draft: Draft): void {
  const newest = useRef(draft)
  newest.current = draft
  // Also after another entry of the history has led to the same form.
  useEffect(() => nameDraft(name))
  useEffect(() => {
    const keep = () => keepDraft(name, newest.current)
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [name])
}
