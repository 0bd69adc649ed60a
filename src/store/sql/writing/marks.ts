import type { MarkCounts } from '../../../contract/browsing.ts'
import { MARK_NAMES, type Seen } from '../../../contract/seen.ts'

export const NO_MARKS = '{}'

/** How many pages have each mark, as JSON; with these pages counted, too. */
export function addMarks(counted: string, pages: readonly Pick<Seen, 'marks'>[]): string {
  const before = JSON.parse(counted) as MarkCounts
  const counts = MARK_NAMES.map((mark) => {
    const more = pages.filter(({ marks }) => marks.includes(mark)).length
    return [mark, (before[mark] ?? 0) + more] as const
  })
  return JSON.stringify(Object.fromEntries(counts.filter(([, count]) => count > 0)))
}
