import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Draft } from './draft.ts'
import type { Mistakes, Place } from './mistakes.ts'

/** The form, for its fields. */
export interface Form {
  readonly draft: Draft
  readonly mistakes: Mistakes
  change(fields: Partial<Draft>): void
}

type Texts = { [K in keyof Draft]: Draft[K] extends string ? K : never }[keyof Draft]
type Switches = { [K in keyof Draft]: Draft[K] extends boolean ? K : never }[keyof Draft]

interface FieldProps {
  readonly form: Form
  readonly label: string
  readonly hint?: string
}

/** Browsers change nothing of what is typed. */
const AS_TYPED = { spellcheck: false, autoComplete: 'off', autoCapitalize: 'off' } as const

/** How an input refers to its mistakes. */
export function mistaken({ mistakes }: Form, place: Place) {
  return { 'aria-invalid': mistakes[place] !== undefined, 'aria-describedby': `${place}-mistakes` }
}

export function TextField({
  form,
  name,
  label,
  hint,
  rows,
  list,
  children,
  ...input
}: FieldProps & {
  name: Texts
  placeholder?: string
  inputMode?: 'numeric' | 'decimal'
  list?: string
  /** With it: a field for several lines. */
  rows?: number
  children?: ComponentChildren
}) {
  const shared = { id: name, name, ...AS_TYPED, ...mistaken(form, name), value: form.draft[name] }
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) =>
    form.change({ [name]: currentTarget.value })
  return (
    <div class="field">
      <label for={name}>
        {label} {hint && <span class="soft">{hint}</span>}
      </label>
      {rows !== undefined && (
        <textarea rows={rows} placeholder={input.placeholder} {...shared} onInput={onInput} />
      )}
      {rows === undefined && list === undefined && (
        <input type="text" {...input} {...shared} onInput={onInput} />
      )}
      {list !== undefined && <input type="text" list={list} {...input} {...shared} onInput={onInput} />}
      {children}
      <MistakesAt form={form} place={name} />
    </div>
  )
}

/** A short field within a list. A secret is not shown while it is typed. */
export function ShortField({
  label,
  isLabelSeen = true,
  value,
  onText,
  isMistaken = false,
  isSecret = false,
  ...hints
}: {
  label: string
  isLabelSeen?: boolean
  value: string
  onText: (text: string) => void
  isMistaken?: boolean
  isSecret?: boolean
  placeholder?: string | undefined
  inputMode?: 'numeric' | undefined
}) {
  const id = useId()
  const input = {
    ...{ id, ...AS_TYPED, ...hints, value, 'aria-invalid': isMistaken },
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
  }
  return (
    <div>
      <label for={id} class={isLabelSeen ? 'soft' : 'unseen'}>
        {label}
      </label>
      {isSecret ? (
        <input {...input} type="password" autoComplete="new-password" />
      ) : (
        <input {...input} type="text" />
      )}
    </div>
  )
}

export function SelectField({
  form,
  name,
  label,
  hint,
  choices,
  onChoose = (value) => form.change({ [name]: value }),
}: FieldProps & {
  name: Texts
  /** Values and their words. */
  choices: readonly (readonly [string, string])[]
  onChoose?: (value: string) => void
}) {
  return (
    <div class="field">
      <label for={name}>
        {label} {hint && <span class="soft">{hint}</span>}
      </label>
      <select
        id={name}
        name={name}
        {...mistaken(form, name)}
        value={form.draft[name]}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {choices.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <MistakesAt form={form} place={name} />
    </div>
  )
}

export function CheckField({ form, name, label, hint }: FieldProps & { name: Switches }) {
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          name={name}
          checked={form.draft[name]}
          {...mistaken(form, name)}
          onChange={({ currentTarget }) => form.change({ [name]: currentTarget.checked })}
        />
        <span>
          {label} {hint && <span class="soft">{hint}</span>}
        </span>
      </label>
      <MistakesAt form={form} place={name} />
    </div>
  )
}

export function MistakesAt({ form, place }: { form: Form; place: Place }) {
  const { [place]: mistakes = [] } = form.mistakes
  return (
    <div id={`${place}-mistakes`} class="mistake" role="alert">
      {mistakes.length > 0 && (
        <ul>
          {mistakes.map((mistake) => (
            <li key={mistake} dir="auto">
              {mistake}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** A choice with a drawing: one of several (radio), or each for itself (checkbox). */
export function Card({
  type,
  name,
  value,
  checked,
  isMistaken = false,
  onChoose,
  children,
}: {
  type: 'radio' | 'checkbox'
  name: string
  value: string
  checked: boolean
  isMistaken?: boolean
  onChoose: (checked: boolean) => void
  children: ComponentChildren
}) {
  return (
    <label class="size">
      <input
        type={type}
        name={name}
        value={value}
        checked={checked}
        aria-invalid={isMistaken}
        onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
      />
      {children}
    </label>
  )
}
