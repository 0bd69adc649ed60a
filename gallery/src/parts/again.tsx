import { useState } from 'preact/hooks'
import { askAgain } from '../../../src/contract/ask-again.ts'
import type { RootStatus } from '../../../src/contract/status.ts'
import { toCapture, toRoot } from '../addresses.ts'
import { fromRequest } from '../form/from-request.ts'
import { keepDraft } from '../form/kept-drafts.ts'
import { go } from '../navigation.ts'
import { client } from '../session.ts'
import { explain } from './problem.tsx'

/** Asks for the same pages again: all of them, or those that failed. Secrets have to be typed again, in the form. */
export function Again({ projectId, status }: { projectId: string; status: RootStatus }) {
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  const ask = async (only: { only?: 'failed' }) => {
    if (busy) return
    const again = askAgain(status, only)
    if (again.secrets.length > 0) {
      const name = crypto.randomUUID()
      keepDraft(name, fromRequest(again))
      return go(toCapture(projectId), { draft: name })
    }
    setBusy(true)
    try {
      const { jobId } = await client.requestScreenshots(projectId, again.request)
      go(toRoot(projectId, jobId))
    } catch (failure) {
      setSaid(explain(failure))
      setBusy(false)
    }
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
