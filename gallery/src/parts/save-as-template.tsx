import { askAgain } from '../../../src/contract/ask-again.ts'
import type { RootStatus } from '../../../src/contract/status.ts'
import { toTemplate } from '../addresses.ts'
import { keepDraft, newName } from '../form/kept-drafts.ts'
import { go } from '../navigation.ts'

/** Opens the form of a new template with what this capture was asked for. Secrets have to be typed again. */
export function SaveAsTemplate({ projectId, status }: { projectId: string; status: RootStatus }) {
  const open = async () => {
    const { fromRequest } = await import('../form/from-request.ts')
    const name = newName()
    keepDraft(name, fromRequest(askAgain(status)))
    go(toTemplate(projectId), { draft: name })
  }
  return (
    <button type="button" onClick={open}>
      Save as template
    </button>
  )
}
