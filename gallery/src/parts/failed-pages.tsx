import type { PageFailure } from '../../../src/contract/browsing.ts'
import { CAPTURE_REASONS } from '../../../src/contract/status.ts'
import { count } from '../words.ts'

/** How many fit beside pictures, one above the other. */
const IN_A_COLUMN = 3

/** Failed pages, at the position of their pictures. */
export function FailedPages({
  failures,
  failed,
  alone,
}: {
  failures: readonly PageFailure[]
  /** How many there are. */
  failed: number
  /** There are no pictures beside them. */
  alone: boolean
}) {
  if (failures.length === 0) return null
  const room = alone ? failures.length : IN_A_COLUMN
  const shown = failures.slice(0, failed > room ? room - 1 : room)
  const more = failed - shown.length
  return (
    <ul class="failed-pages" aria-label="Pages that failed">
      {shown.map(({ position, name, reason, detail }) => (
        <li key={position}>
          <strong dir="auto">{name}</strong>
          {/* The status says more than the reason. */}
          <span>{reason === 'status' ? detail : CAPTURE_REASONS[reason]}</span>
        </li>
      ))}
      {more > 0 && <li class="soft">and {count(more, 'more', 'more')}</li>}
    </ul>
  )
}
