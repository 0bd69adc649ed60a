import { useState } from 'preact/hooks'
import { saveArchive } from '../save.ts'
import { megabytes } from '../words.ts'
import { explain } from './problem.tsx'

export function SaveAll({ projectId, rootId }: { projectId: string; rootId: string }) {
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  const save = async () => {
    if (busy) return
    setBusy(true)
    try {
      await saveArchive(projectId, rootId, (bytes) => setSaid(megabytes(bytes)))
      setSaid('')
    } catch (failure) {
      setSaid(explain(failure))
    }
    setBusy(false)
  }
  return (
    <p class="save">
      <span class="soft" role="status">
        {said}
      </span>
      <button type="button" aria-disabled={busy} onClick={save}>
        Download all
      </button>
    </p>
  )
}
