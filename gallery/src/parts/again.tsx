import { useState } from 'preact/hooks'
import { type AskedAgain, askAgain } from '../../../src/contract/ask-again.ts'
import type { RootStatus } from '../../../src/contract/status.ts'
import { toCapture, toRoot } from '../addresses.ts'
import { keepDraft, newName } from '../form/kept-drafts.ts'
import { go } from '../navigation.ts'
import { client } from '../session.ts'
import { explain } from './problem.tsx'

/** Requests the same pages again: all of them, or those that failed. Secrets have to be typed again, in the form. */
export function Again({ projectId, status }: { projectId: string; status: RootStatus }) {
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  const ask = async (only: { only?: 'failed' }) => {
    if (busy) return
    const again = askAgain(status, only)
    setBusy(true)
    try {
      if (again.secrets.length > 0) return await openForm(again)
      const { jobId } = await client.requestScreenshots(projectId, again.request)
      go(toRoot(projectId, jobId))
    } catch (failure) {
      setSaid(explain(failure))
      setBusy(false)
    }
  }
  const openForm = async (again: AskedAgain) => {
    const { fromRequest } = await import('../form/from-request.ts')
    const name = newName()
    keepDraft(name, fromRequest(again))
    go(toCapture(projectId), { draft: name })
  }
  const { done, failed } = status.counts
  return (
    <p class="again">
      <span class="soft" role="status">
        {said}
      </span>
      {failed > 0 && done > 0 && (
        <button type="button" aria-disabled={busy} onClick={() => ask({ only: 'failed' })}>
          Try the failed ones again
        </button>
      )}
      <button type="button" aria-disabled={busy} onClick={() => ask({})}>
        Capture again
      </button>
    </p>
  )
}
