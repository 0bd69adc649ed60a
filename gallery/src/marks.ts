import type { JobOverview } from '../../src/contract/browsing.ts'
import { MARK_NAMES, MARKS, type Mark, type NoteName, type Seen } from '../../src/contract/seen.ts'
import { number } from './words.ts'

/** One word for each mark. */
export const MARK_WORDS: Record<Mark, string> = {
  error: 'error',
  cut: 'cut',
  wide: 'wider',
  restless: 'moving',
  waiting: 'waiting',
  incomplete: 'incomplete',
}

/** Two words for each kind of note. */
const NOTE_WORDS: Record<NoteName, string> = {
  click: 'not clicked',
  hide: 'not hidden',
  wide: 'left missing',
  cookie_banner: 'no banner',
  effect: 'parameter ignored',
}

/** Each kind of note once, with everything that is known about it. */
export function notesOf(seen: Seen | undefined): { note: NoteName; words: string; sentence: string }[] {
  const byKind = Map.groupBy(seen?.notes ?? [], ({ note }) => note)
  return [...byKind].map(([note, notes]) => ({
    note,
    words: NOTE_WORDS[note] ?? note,
    sentence: notes
      .map(({ detail }) => detail)
      .join(' ')
      .replace(/\.$/, ''),
  }))
}

/** The mark on a picture: `404`, `cut`, `2 missing`. */
export function shortMark(mark: Mark, { status, failedResources }: Seen): string {
  if (mark === 'error') return `${status}`
  return mark === 'incomplete' && failedResources > 0
    ? `${number(failedResources)} missing`
    : MARK_WORDS[mark]
}

/** The whole sentence. */
export const explainMark = (mark: Mark): string => MARKS[mark]

/** `2 errors`, `1 cut`. */
export function countedMark(mark: Mark, count: number): string {
  return `${number(count)} ${mark === 'error' && count !== 1 ? 'errors' : MARK_WORDS[mark]}`
}

/** How many pages have each mark. */
export function countMarks(pages: readonly Pick<JobOverview, 'seen'>[]): Partial<Record<Mark, number>> {
  const counts: Partial<Record<Mark, number>> = {}
  for (const { seen } of pages) for (const mark of seen?.marks ?? []) counts[mark] = (counts[mark] ?? 0) + 1
  return counts
}

export function inOrder(counts: Partial<Record<Mark, number>>): (readonly [Mark, number])[] {
  return MARK_NAMES.map((mark) => [mark, counts[mark] ?? 0] as const).filter(([, count]) => count > 0)
}

/** The final address of a page, if it differs from the requested one. */
export function findOtherAddress(asked: string, seen: Seen | undefined): string | undefined {
  return seen && seen.url !== '' && plain(seen.url) !== plain(asked) ? seen.url : undefined
}

/** As browsers write it: with the slash at its end. */
function plain(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}
