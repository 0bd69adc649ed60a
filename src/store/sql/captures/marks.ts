import type { MarkCounts } from '../../../contract/browsing.ts'
import { MARK_NAMES, type Seen } from '../../../contract/seen.ts'
import type { CaptureProgress } from '../../captures.ts'

export const NO_MARKS = '{}'

/** How many pages have each mark, as JSON. Adds these pages, or removes them with -1. */
export function countMarks(counted: string, pages: readonly Pick<Seen, 'marks'>[], by: 1 | -1 = 1): string {
  const before = JSON.parse(counted) as MarkCounts
  const counts = MARK_NAMES.map((mark) => {
    const more = pages.filter(({ marks }) => marks.includes(mark)).length
    return [mark, (before[mark] ?? 0) + by * more] as const
  })
  return JSON.stringify(Object.fromEntries(counts.filter(([, count]) => count > 0)))
}

/** Older versions did not write what was seen. Of their captures only the mark `cut` is known. */
export function marksOf({ seen, cut }: Pick<CaptureProgress, 'seen' | 'cut'>): Pick<Seen, 'marks'> {
  return seen ?? { marks: cut ? ['cut'] : [] }
}
