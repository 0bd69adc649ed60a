import { useEffect } from 'preact/hooks'
import { ProblemError } from '../../../src/client/client.ts'
import { client, NO_BROWSER } from '../session.ts'
import { useAnswer } from '../use-answer.ts'

/** How often it checks again while something is wrong: a browser may be installed, a disk may be writable again. */
const LOOK_MS = 5_000
const CALM_MS = 30_000

/** Says why nothing can be captured or stored. A missing browser is known from the start, so nothing moves. */
export function ServiceTrouble() {
  const { value, failure, reload } = useAnswer('readiness', (signal) => client.getReadiness({ signal }))
  const unready = failure instanceof ProblemError ? failure.detail : undefined
  const trouble = unready ?? (value ? value.capturing.detail : NO_BROWSER)
  useEffect(() => {
    const timer = setTimeout(reload, trouble ? LOOK_MS : CALM_MS)
    return () => clearTimeout(timer)
  }, [trouble, value, failure, reload])
  if (!trouble) return null
  const [words = '', command = ''] = trouble.split(/(?=npx )/)
  return (
    <p class="notice" role="status">
      {words}
      {command !== '' && <code>{command}</code>}
    </p>
  )
}
