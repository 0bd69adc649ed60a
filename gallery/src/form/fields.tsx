import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { PLAIN, type PlainName, type PlainOption } from '../../../src/contract/options/plain.ts'
import type { Draft } from './draft.ts'
import {
  AS_TYPED,
  CheckInput,
  MistakeList,
  mistakenBy,
  SelectInput,
  TextInput,
  type TextInputProps,
} from './inputs.tsx'
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

/** How an input refers to its mistakes. */
export function mistaken({ mistakes }: Form, place: Place) {
  return mistakenBy(place, mistakes[place])
}

export function TextField({
  form,
  name,
  ...input
}: Omit<TextInputProps, 'name' | 'value' | 'onText' | 'mistakes'> & { form: Form; name: Texts }) {
  return (
    <TextInput
      {...input}
      name={name}
      value={form.draft[name]}
      onText={(text) => form.change({ [name]: text })}
      mistakes={form.mistakes[name]}
    />
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
  onChoose = (value) => form.change({ [name]: value }),
  ...select
}: FieldProps & {
  name: Texts
  /** Values and their words. */
  choices: readonly (readonly [string, string])[]
  onChoose?: (value: string) => void
}) {
  return (
    <SelectInput
      {...select}
      name={name}
      value={form.draft[name]}
      onChoose={onChoose}
      mistakes={form.mistakes[name]}
    />
  )
}

export function CheckField({ form, name, ...check }: FieldProps & { name: Switches }) {
  return (
    <CheckInput
      {...check}
      name={name}
      checked={form.draft[name]}
      onCheck={(checked) => form.change({ [name]: checked })}
      mistakes={form.mistakes[name]}
    />
  )
}

/** The fields of plain options: texts and choices in two columns, then switches. */
export function PlainFields({ form, names }: { form: Form; names: readonly PlainName[] }) {
  const isSwitch = (name: PlainName) => PLAIN[name].kind === 'switch'
  return (
    <>
      <div class="pair">
        {names
          .filter((name) => !isSwitch(name))
          .map((name) => (
            <PlainField key={name} form={form} name={name as PlainName & Texts} />
          ))}
      </div>
      {names.filter(isSwitch).map((name) => {
        const { label, hint }: PlainOption = PLAIN[name]
        const field = { form, name: name as PlainName & Switches, label }
        return <CheckField key={name} {...field} {...(hint && { hint })} />
      })}
    </>
  )
}

function PlainField({ form, name }: { form: Form; name: PlainName & Texts }) {
  const { kind, label, hint, placeholder = '' }: PlainOption = PLAIN[name]
  const words = { form, name, label, ...(hint && { hint }) }
  if (typeof kind === 'object') return <SelectField {...words} choices={[['', placeholder], ...kind]} />
  const inputMode = kind === 'number' ? 'decimal' : kind === 'milliseconds' ? 'numeric' : undefined
  if (name !== 'timezone')
    return <TextField {...words} placeholder={placeholder} {...(inputMode && { inputMode })} />
  return (
    <TextField {...words} placeholder={placeholder} list="timezones">
      <datalist id="timezones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </TextField>
  )
}

export function MistakesAt({ form, place }: { form: Form; place: Place }) {
  return <MistakeList place={place} mistakes={form.mistakes[place]} />
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
