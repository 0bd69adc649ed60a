import { useEffect } from 'preact/hooks'
import { client, NO_BROWSER } from '../session.ts'
import { useAnswer } from '../use-answer.ts'

/** How soon it is seen that someone has brought one. */
const LOOK_MS = 5_000

/** What captures lack, where they lack it, before anyone asks for one. Known from the first moment: nothing moves. */
export function NoBrowser() {
  const { value, failure, reload } = useAnswer('readiness', (signal) => client.getReadiness({ signal }))
  const missing = value ? value.capturing.detail : NO_BROWSER
  useEffect(() => {
    if (!missing) return
    const timer = setTimeout(reload, LOOK_MS)
    return () => clearTimeout(timer)
  }, [missing, value, failure, reload])
  if (!missing) return null
  const [words = '', command = ''] = missing.split(/(?=npx )/)
  return (
    <p class="notice" role="status">
      {words}
      {command !== '' && <code>{command}</code>}
    </p>
  )
}
