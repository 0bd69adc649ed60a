import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import { TEXT_SIZE } from '../text-size.ts'
import { Rows, useWidth } from './rows.tsx'

const GAP = 20
/** The height below a picture: its name, its address and a line of facts. */
const CAPTION = Math.ceil(77 * TEXT_SIZE)
/** The shape of a picture's box. */
const ASPECT = 1.6

/** Cards of one size, in as many columns as fit. `onLast` is called with the number of cards that are or were visible. */
export function Grid({
  count,
  label,
  card,
  onLast,
  shown = -1,
}: {
  count: number
  label: string
  card: (index: number) => ComponentChildren
  onLast: (last: number) => void
  /** The open card, if any. Its row stays visible. */
  shown?: number
}) {
  const [container, width] = useWidth()
  const smallest = (width < 600 ? 150 : 250) * TEXT_SIZE
  const columns = Math.max(1, Math.floor((width + GAP) / (smallest + GAP)))
  const column = (width - GAP * (columns - 1)) / columns
  const height = Math.round(column / ASPECT) + CAPTION + GAP
  const onLastRow = useCallback((row: number) => onLast(row * columns), [columns, onLast])
  return (
    <div ref={container} class="grid" style={{ '--columns': columns, '--gap': `${GAP}px` }}>
      {width > 0 && (
        <Rows
          count={Math.ceil(count / columns)}
          height={height}
          perRow={columns}
          shown={shown < 0 ? -1 : Math.floor(shown / columns)}
          label={label}
          onLast={onLastRow}
          row={(row) => {
            const first = row * columns
            return Array.from({ length: Math.min(columns, count - first) }, (_, index) => card(first + index))
          }}
        />
      )}
    </div>
  )
}
