import type { MarkCounts } from '../../../src/contract/browsing.ts'
import type { Seen } from '../../../src/contract/seen.ts'
import { countedMark, explainMark, inOrder, shortMark } from '../marks.ts'

/** The marks of a page, one word each. The whole sentence is in the tooltip and for screen readers. */
export function Marks({ seen }: { seen: Seen | undefined }) {
  if (!seen || seen.marks.length === 0) return null
  return (
    <span class="marks">
      {seen.marks.map((mark) => (
        <Mark key={mark} name={mark} words={shortMark(mark, seen)} sentence={explainMark(mark)} />
      ))}
    </span>
  )
}

/** How many pages of a root have each mark. */
export function CountedMarks({ marks }: { marks: MarkCounts }) {
  const counts = inOrder(marks)
  if (counts.length === 0) return null
  return (
    <p class="marks">
      {counts.map(([mark, count]) => (
        <Mark key={mark} name={mark} words={countedMark(mark, count)} sentence={explainMark(mark)} />
      ))}
    </p>
  )
}

function Mark({ name, words, sentence }: { name: string; words: string; sentence: string }) {
  return (
    <span class={name} title={sentence}>
      {words}
      <span class="unseen">: {sentence}. </span>
    </span>
  )
}
