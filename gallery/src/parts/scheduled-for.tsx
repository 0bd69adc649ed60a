import type { RootState } from '../../../src/contract/states.ts'
import { client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { useNow } from '../use-now.ts'
import { distance, moment } from '../words.ts'
import { Confirm } from './confirm.tsx'

/** The time of a scheduled root, and a button to cancel it. Of a cancelled root: the time that it was scheduled for. */
export function ScheduledFor({
  projectId,
  root: { rootId, state, scheduled },
  onCancelled,
}: {
  projectId: string
  root: { readonly rootId: string; readonly state: RootState; readonly scheduled?: number }
  onCancelled: () => Promise<void> | void
}) {
  const now = useNow()
  const { busy, said, act } = useAct()
  if (scheduled === undefined) return null
  const when = <time dateTime={new Date(scheduled).toISOString()}>{moment(scheduled)}</time>
  if (state === 'cancelled') {
    return (
      <div class="scheduled-for">
        <p class="soft">Cancelled. It was scheduled for {when}.</p>
      </div>
    )
  }
  const cancel = () =>
    act(async () => {
      await client.cancelRoot(projectId, rootId)
      await onCancelled()
    })
  return (
    <div class="scheduled-for">
      <p>
        <strong>It begins {scheduled <= now ? 'now' : distance(scheduled, now)}</strong>
        <br />
        {when}
      </p>
      <div class="actions">
        <Confirm
          label="Cancel"
          question="Cancel it? Nothing will be captured."
          yes="Cancel it"
          busy={busy}
          onYes={cancel}
        />
      </div>
      <p class="soft said" role="status">
        {said}
      </p>
    </div>
  )
}
