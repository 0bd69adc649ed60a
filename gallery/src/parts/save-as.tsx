import { askAgain } from '../../../src/contract/ask-again.ts'
import type { RootStatus } from '../../../src/contract/status.ts'
import { toSchedule, toTemplate } from '../addresses.ts'
import { keepDraft, newName } from '../form/kept-drafts.ts'
import { go } from '../navigation.ts'

/** Opens the form of a new template or schedule with the same request. Secrets have to be typed again. */
export function SaveAs({ projectId, status }: { projectId: string; status: RootStatus }) {
  const open = async (address: string) => {
    const { fromRequest } = await import('../form/from-request.ts')
    const name = newName()
    keepDraft(name, fromRequest(askAgain(status)))
    go(address, { draft: name })
  }
  return (
    <>
      <button type="button" onClick={() => open(toTemplate(projectId))}>
        Save as template
      </button>
      <button type="button" onClick={() => open(toSchedule(projectId))}>
        Schedule it
      </button>
    </>
  )
}
