import { CAPTURE_REASONS, type PageStatus } from '../../../src/contract/status.ts'
import { count } from '../words.ts'

/** The pages without a picture, and why. */
export function Failures({ pages }: { pages: readonly PageStatus[] }) {
  const failed = pages.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return null
  return (
    <section class="failures" aria-label="Failures">
      <h2>{count(failed.length, 'page')} could not be captured</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul tabIndex={0}>
        {failed.map(({ position, name, url, reason, detail }) => (
          <li key={position}>
            <strong dir="auto">{name}</strong>
            <span class="address" dir="ltr">
              {url}
            </span>
            <span>
              {reason !== undefined && CAPTURE_REASONS[reason]}
              {detail !== undefined && <span class="soft"> {detail}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
