import { useState } from 'preact/hooks'
import { client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { count } from '../words.ts'

/** Sends all events since a time again. */
export function ReplaySince({
  projectId,
  webhookId,
  onReplayed,
}: {
  projectId: string
  webhookId: string
  onReplayed: () => Promise<void>
}) {
  const [from, setFrom] = useState('')
  const { busy, said, act } = useAct()
  const replay = (event: SubmitEvent) => {
    event.preventDefault()
    return act(async () => {
      const time = new Date(from).getTime()
      if (Number.isNaN(time)) return 'Choose a time first.'
      const { deliveries } = await client.replayDeliveries(projectId, webhookId, time)
      await onReplayed()
      return deliveries === 0
        ? 'Nothing has happened since.'
        : `${count(deliveries, 'delivery', 'deliveries')} on the way.`
    })
  }
  return (
    <form class="since" onSubmit={replay}>
      <label for="since" class="soft">
        Send everything again since
      </label>
      <input
        id="since"
        type="datetime-local"
        value={from}
        onInput={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <button type="submit" aria-disabled={busy}>
        Send again
      </button>
      <span class="soft" role="status">
        {said}
      </span>
    </form>
  )
}
