import type { PageStatus } from '../../../src/contract/status.ts'
import { count } from '../words.ts'

/** Pages that were captured although a step did not work. */
export function Notes({ pages }: { pages: readonly PageStatus[] }) {
  const noted = pages.filter(({ state, notes = [] }) => state === 'done' && notes.length > 0)
  if (noted.length === 0) return null
  return (
    <section class="failures noted" aria-label="Notes">
      <h2>{count(noted.length, 'page')}: a step did not work, and the picture was taken without it</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul tabIndex={0}>
        {noted.map(({ position, name, notes = [] }) => (
          <li key={position}>
            <strong dir="auto">{name}</strong>
            <span dir="auto">{notes.map(({ detail }) => detail).join(' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
