import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Layout } from '../parts/layout.tsx'
import { explain } from '../parts/problem.tsx'
import { keepKey, signIn, tryKey } from '../session.ts'

export const NOT_KEPT =
  'This browser does not allow this page to store the key. Allow this page to store data.'

/** Asks for the key, tries it, and then keeps it: for this tab, or in a cookie to stay signed in. */
export function KeyView() {
  const enter = async (key: string, form: FormData) => {
    if (form.has('stay')) return (await signIn(key, { stay: true })) ? undefined : NOT_KEPT
    await tryKey(key)
    return keepKey(key) ? undefined : NOT_KEPT
  }
  return (
    <Layout title="Enter your key">
      <KeyForm title="Enter your key" action="Open the gallery" isAlone enter={enter}>
        The key is kept until this tab is closed. If you stay signed in, it is kept for thirty days, in a
        cookie that no script can read.
      </KeyForm>
    </Layout>
  )
}

interface KeyFormProps {
  readonly title: string
  readonly action: string
  /** There is nothing else on the page: the field has the focus. */
  readonly isAlone?: boolean
  /** Returns the problem, if there is one. It does not return if another page is opened. */
  readonly enter: (key: string, form: FormData) => Promise<string | undefined>
  readonly children: ComponentChildren
}

export function KeyForm({ title, action, isAlone = false, enter: enterKey, children }: KeyFormProps) {
  const [busy, setBusy] = useState(false)
  const [mistake, setMistake] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (isAlone) field.current?.focus()
  }, [isAlone])
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
    <form class="key" onSubmit={enter}>
      <h1>{title}</h1>
      <label for="key">API key</label>
      <input
        ref={field}
        id="key"
        name="key"
        type="password"
        autoComplete="off"
        spellcheck={false}
        placeholder="psk_…"
        aria-describedby="key-help key-mistake"
        aria-invalid={mistake !== ''}
      />
      <p id="key-mistake" class="mistake" role="alert">
        {mistake}
      </p>
      <label class="check">
        <input type="checkbox" name="stay" />
        Stay signed in on this device
      </label>
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Checking…' : action}
      </button>
      <p id="key-help" class="soft">
        {children} The operator creates keys with <code>npx proofsheet key create</code>.
      </p>
    </form>
  )
}
