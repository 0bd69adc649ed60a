import type { MarkCounts } from '../../../src/contract/browsing.ts'
import type { Seen } from '../../../src/contract/seen.ts'
import { countedMark, explainMark, inOrder, notesOf, shortMark } from '../marks.ts'

/** The marks and notes of a page, a word or two each. The whole sentence is in the tooltip and for screen readers. */
export function Marks({ seen }: { seen: Seen | undefined }) {
  const notes = notesOf(seen)
  if (!seen || seen.marks.length + notes.length === 0) return null
  return (
    <span class="marks">
      {seen.marks.map((mark) => (
        <Mark key={mark} name={mark} words={shortMark(mark, seen)} sentence={explainMark(mark)} />
      ))}
      {notes.map(({ note, words, sentence }) => (
        <Mark key={note} name={note} words={words} sentence={sentence} />
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
