import type { ComponentChildren } from 'preact'

// Fields of any form: a label, a hint, and the mistakes that the service found.

/** Browsers do not change the typed text. */
export const AS_TYPED = { spellcheck: false, autoComplete: 'off', autoCapitalize: 'off' } as const

interface InputProps {
  /** Also its id. */
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly mistakes?: readonly string[] | undefined
}

export interface TextInputProps extends InputProps {
  readonly value: string
  readonly onText: (text: string) => void
  readonly placeholder?: string
  readonly inputMode?: 'numeric' | 'decimal' | 'url'
  readonly type?: 'text' | 'datetime-local'
  /** The id of a list of suggestions. */
  readonly list?: string
  /** With it: a field for several lines. */
  readonly rows?: number
  readonly children?: ComponentChildren
}

export function TextInput({
  name,
  label,
  hint,
  mistakes,
  value,
  onText,
  rows,
  list,
  type = 'text',
  children,
  ...input
}: TextInputProps) {
  const shared = { id: name, name, ...AS_TYPED, ...mistakenBy(name, mistakes), value }
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value)
  return (
    <div class="field">
      <Label name={name} label={label} hint={hint} />
      {rows === undefined ? (
        <input type={type} {...input} {...shared} {...(list !== undefined && { list })} onInput={onInput} />
      ) : (
        <textarea rows={rows} placeholder={input.placeholder} {...shared} onInput={onInput} />
      )}
      {children}
      <MistakeList place={name} mistakes={mistakes} />
    </div>
  )
}

export function SelectInput({
  name,
  label,
  hint,
  mistakes,
  value,
  choices,
  onChoose,
}: InputProps & {
  readonly value: string
  /** Values and their words. */
  readonly choices: readonly (readonly [string, string])[]
  readonly onChoose: (value: string) => void
}) {
  return (
    <div class="field">
      <Label name={name} label={label} hint={hint} />
      <select
        id={name}
        name={name}
        {...mistakenBy(name, mistakes)}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {choices.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      <MistakeList place={name} mistakes={mistakes} />
    </div>
  )
}

export function CheckInput({
  name,
  label,
  hint,
  mistakes,
  checked,
  onCheck,
}: InputProps & { readonly checked: boolean; readonly onCheck: (checked: boolean) => void }) {
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          name={name}
          checked={checked}
          {...mistakenBy(name, mistakes)}
          onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
        />
        <span>
          {label} {hint && <span class="soft">{hint}</span>}
        </span>
      </label>
      <MistakeList place={name} mistakes={mistakes} />
    </div>
  )
}

export function MistakeList({
  place,
  mistakes = [],
}: {
  place: string
  mistakes?: readonly string[] | undefined
}) {
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

function Label({ name, label, hint }: Pick<InputProps, 'name' | 'label' | 'hint'>) {
  return (
    <label for={name}>
      {label} {hint && <span class="soft">{hint}</span>}
    </label>
  )
}

/** How an input refers to its mistakes. */
export function mistakenBy(name: string, mistakes: readonly string[] | undefined) {
  return { 'aria-invalid': mistakes !== undefined, 'aria-describedby': `${name}-mistakes` }
}
