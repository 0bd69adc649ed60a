import { useEffect } from 'preact/hooks'
import { client, NO_BROWSER } from '../session.ts'
import { useAnswer } from '../use-answer.ts'

/** How often it checks whether a browser was installed. */
const LOOK_MS = 5_000

/** Says that there is no browser, before a capture is requested. It is known from the start, so nothing moves. */
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
