import type { Mark } from '../../contract/seen.ts'
import type { PageStatus } from '../../contract/status.ts'
import { counted, printable } from '../table.ts'

/** What is unusual about a captured page, in a few words: ` (status 404; cut: the page is longer)`. */
export function describeSeen({ seen, cut, notes = [] }: Pick<PageStatus, 'seen' | 'cut' | 'notes'>): string {
  const words: Record<Mark, string> = {
    error: `status ${seen?.status}`,
    cut: 'cut: the page is longer',
    wide: 'the page is wider',
    restless: 'never at rest',
    incomplete: `${counted(seen?.failedResources ?? 0, 'resource')} failed`,
  }
  const marks = seen?.marks ?? (cut ? ['cut' as const] : [])
  const sentences = notes.map(({ detail }) => printable(detail).replace(/\.$/, ''))
  const all = [...marks.map((mark) => words[mark]), ...sentences]
  return all.length === 0 ? '' : ` (${all.join('; ')})`
}
