import type { PageFailure } from '../../../src/contract/browsing.ts'
import { CAPTURE_REASONS } from '../../../src/contract/status.ts'
import { count } from '../words.ts'

type Failure = Pick<PageFailure, 'position' | 'url' | 'name'> & Partial<PageFailure> & { size?: string }

/** The failed pages and their reasons. `failed` is their number, while only some are known. */
export function Failures({ failures, failed }: { failures: readonly Failure[]; failed: number }) {
  if (failures.length === 0) return null
  return (
    <section class="failures" aria-label="Failures">
      <h2>{count(failed, 'page')} could not be captured</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul tabIndex={0}>
        {failures.map(({ position, name, url, reason, detail, size }) => (
          <li key={position}>
            <strong dir="auto">
              {name}
              {size && <span class="soft"> {size}</span>}
            </strong>
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
