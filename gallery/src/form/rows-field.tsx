import type { Draft } from './draft.ts'
import { type Form, MistakesAt, ShortField } from './fields.tsx'
import { useFocus } from './use-focus.ts'

type Lists = 'otherSizes' | 'clicks' | 'headers' | 'cookies'
type Row<N extends Lists> = Draft[N][number]

interface Column<N extends Lists> {
  readonly name: keyof Row<N> & string
  readonly label: string
  readonly placeholder?: string
  readonly inputMode?: 'numeric'
  /** Never shown, and never kept. */
  readonly isSecret?: boolean
}

/** Rows of a few short fields. Rows can be added and removed. */
export function RowsField<N extends Lists>({
  form,
  name,
  legend,
  hint,
  one,
  columns,
  empty,
  isMistaken = form.mistakes[name] !== undefined,
}: {
  form: Form
  name: N
  legend: string
  hint?: string
  /** The word for one row: `header`. */
  one: string
  columns: readonly Column<N>[]
  /** A new row. */
  empty: Row<N>
  isMistaken?: boolean
}) {
  const rows: readonly Row<N>[] = form.draft[name]
  const [list, focusThen] = useFocus(rows.length)
  const set = (next: readonly Row<N>[]) => form.change({ [name]: next })
  const add = () => {
    set([...rows, empty])
    focusThen('.row-fields input', -columns.length)
  }
  const remove = (index: number) => {
    set(rows.filter((_, at) => at !== index))
    focusThen('button.add')
  }
  const change = (index: number, column: string, value: string) =>
    set(rows.map((row, at) => (at === index ? { ...row, [column]: value } : row)))
  return (
    <fieldset ref={list} class="field rows-field" aria-describedby={`${name}-mistakes`}>
      <legend>
        {legend} {hint && <span class="soft">{hint}</span>}
      </legend>
      {rows.map((row, index) => (
        <div key={index} class="row-fields">
          {columns.map(({ name: column, label, ...input }) => (
            <ShortField
              key={column}
              {...input}
              label={index === 0 ? label : `${label} ${index + 1}`}
              isLabelSeen={index === 0}
              isMistaken={isMistaken}
              value={String(row[column])}
              onText={(text) => change(index, column, text)}
            />
          ))}
          <button type="button" class="remove" onClick={() => remove(index)}>
            <span aria-hidden="true">×</span>
            <span class="unseen">
              Remove {one} {index + 1}
            </span>
          </button>
        </div>
      ))}
      <button type="button" class="add" onClick={add}>
        Add a {one}
      </button>
      <MistakesAt form={form} place={name} />
    </fieldset>
  )
}
