import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Layout } from '../parts/layout.tsx'
import { explain } from '../parts/problem.tsx'
import { keepKey, tryKey } from '../session.ts'

/** Asks for the key, tries it, and then keeps it for this tab. */
export function KeyView() {
  const enter = async (key: string) => {
    await tryKey(key)
    if (keepKey(key)) return undefined
    return 'This browser does not let this page store the key. Allow it to store data for this page.'
  }
  return (
    <KeyForm title="Enter your key" action="Open the gallery" enter={enter}>
      The key is kept until this tab is closed.
    </KeyForm>
  )
}

interface KeyFormProps {
  readonly title: string
  readonly action: string
  /** More fields. */
  readonly more?: ComponentChildren
  /** Returns what is wrong. It does not return if another page is opened. */
  readonly enter: (key: string, form: FormData) => Promise<string | undefined>
  readonly children: ComponentChildren
}

export function KeyForm({ title, action, more, enter: enterKey, children }: KeyFormProps) {
  const [busy, setBusy] = useState(false)
  const [mistake, setMistake] = useState('')
  const enter = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const key = String(form.get('key') ?? '').trim()
    if (busy) return
    if (key === '') return setMistake('Paste an API key of the project.')
    setBusy(true)
    try {
      const problem = await enterKey(key, form)
      if (problem === undefined) return
      setMistake(problem)
    } catch (failure) {
      // A key that fits into no header is found before anything is sent.
      setMistake(failure instanceof TypeError ? `This is not a key: ${failure.message}.` : explain(failure))
    }
    setBusy(false)
  }
  return (
    <Layout title={title}>
      <form class="key" onSubmit={enter}>
        <h1>{title}</h1>
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="off"
          spellcheck={false}
          placeholder="psk_…"
          aria-describedby="key-help key-mistake"
          aria-invalid={mistake !== ''}
          autofocus
        />
        <p id="key-mistake" class="mistake" role="alert">
          {mistake}
        </p>
        {more}
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? 'Trying it…' : action}
        </button>
        <p id="key-help" class="soft">
          {children} The operator makes a key with <code>npx proofsheet key create</code>.
        </p>
      </form>
    </Layout>
  )
}
