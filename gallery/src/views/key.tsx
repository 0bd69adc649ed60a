import { useState } from 'preact/hooks'
import { Layout } from '../parts/layout.tsx'
import { explain } from '../parts/problem.tsx'
import { keepKey, tryKey } from '../session.ts'

/** Asks for the key, tries it, and then keeps it. */
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
      setMistake('This browser does not let this page store the key. Allow it to store data for this page.')
    } catch (failure) {
      // A key that fits into no header is found before anything is sent.
      setMistake(failure instanceof TypeError ? `This is not a key: ${failure.message}.` : explain(failure))
    }
    setBusy(false)
  }
  return (
    <Layout title="Enter your key">
      <form class="key" onSubmit={enter}>
        <h1>Enter your key</h1>
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
          The key is kept until this tab is closed. The operator makes a key with{' '}
          <code>npx proofsheet key create</code>.
        </p>
      </form>
    </Layout>
  )
}
