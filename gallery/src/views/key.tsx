import { useState } from 'preact/hooks'
import { Page } from '../parts/page.tsx'
import { explain } from '../parts/problem.tsx'
import { keepKey, tryKey } from '../session.ts'

/** One field. The key is tried before it is kept. */
export function KeyView() {
  const [busy, setBusy] = useState(false)
  const [mistake, setMistake] = useState('')
  const enter = async (event: SubmitEvent) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget as HTMLFormElement).get('key') ?? '').trim()
    if (busy) return
    if (key === '') return setMistake('Paste an API key of the project.')
    setBusy(true)
    try {
      await tryKey(key)
      if (keepKey(key)) return
      setMistake('This browser keeps nothing for this page, not even for a tab. Allow it to store data here.')
    } catch (failure) {
      // What no header can hold is found before anything is sent.
      setMistake(failure instanceof TypeError ? `This is no key: ${failure.message}.` : explain(failure))
    }
    setBusy(false)
  }
  return (
    <Page title="Come in">
      <form class="key" onSubmit={enter}>
        <h1>Come in</h1>
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
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? 'Trying it…' : 'Open the gallery'}
        </button>
        <p id="key-help" class="soft">
          It is kept for this tab, and forgotten when the tab is closed. An operator makes one with{' '}
          <code>npx proofsheet key create</code>.
        </p>
      </form>
    </Page>
  )
}
