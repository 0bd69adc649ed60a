import type { Answer, Field, Find } from './elements.ts'

// Runs in the page, in a world of our own (`steps/world.ts`). A field may have the name of a property of its form, and then hides
// it: such properties are read from the prototypes of our world.

/** `proofsheetFilled`: ours, the fields that were filled in. The page does not see it. */
type LoginPage = typeof globalThis & { proofsheetFilled?: { readonly field: Field; readonly text: string }[] }

interface Filling {
  readonly selector: string
  readonly text: string
  /** The field must not show what is typed. */
  readonly isHidden: boolean
  /** Where the document may be. */
  readonly origins: readonly string[]
}

/** Fills in a field as typing would. The text stays in our world: it goes into this field of this document, and nowhere else. */
export function fill(find: Find, { selector, text, isHidden, origins }: Filling): Answer {
  const page = globalThis as LoginPage
  if (!origins.includes(page.origin)) return { state: 'elsewhere' }
  const { state, element } = find(selector)
  if (!element) return { state }
  if (element.matches(':disabled')) return { state: 'disabled' }
  if (element.value === undefined || element.matches(':read-only')) return { state: 'not_a_field' }
  const security = page.getComputedStyle(element).getPropertyValue('-webkit-text-security')
  if (isHidden && /^(none)?$/.test(security)) return { state: 'readable' }
  page.proofsheetFilled ??= []
  page.proofsheetFilled.push({ field: element, text })
  element.focus()
  element.select?.()
  // The focus may have been moved by a script.
  const isTyped = element.matches(':focus') && page.document.execCommand('insertText', false, text)
  if (!isTyped || element.value === '') {
    element.value = text
    for (const name of ['input', 'change']) {
      element.dispatchEvent(new page.Event(name, { bubbles: true, composed: true }))
    }
  }
  return { state: 'ready' }
}

export interface Ways {
  /** Where the document is, and where its forms would send the fields. */
  readonly addresses: readonly string[]
  /** A form would open another window. */
  readonly opens: boolean
}

/** Where the forms of these fields and of this button lead. */
export function findWays(
  find: Find,
  { fields, button }: { fields: readonly string[]; button: string },
): Ways {
  const page = globalThis
  const { getAttribute } = page.Element.prototype
  const read = (kind: { readonly prototype: object }, name: string, of: unknown) =>
    Reflect.get(kind.prototype, name, of as object) as unknown
  type Pressed = Field & { readonly form?: unknown; readonly control?: Pressed | null }
  const found = find(button).element?.closest('button, input, label') as Pressed | null | undefined
  const pressed = found?.localName === 'label' ? found.control : found
  const ofFields = fields.map((selector) => (find(selector).element as Pressed | undefined)?.form)
  const forms = [...new Set([...ofFields, pressed?.form])].filter(
    (form) => form !== undefined && form !== null,
  )
  const kind = pressed?.localName === 'button' ? page.HTMLButtonElement : page.HTMLInputElement
  const isPressed = /^(button|input)$/.test(pressed?.localName ?? '')
  const ownAction = isPressed && pressed?.getAttribute('formaction') !== null
  const addresses = [
    page.origin,
    ...forms.map((form) => String(read(page.HTMLFormElement, 'action', form))),
    ...(ownAction ? [String(read(kind, 'formAction', pressed))] : []),
  ]
  const [base] = [...page.document.querySelectorAll('base[target]')]
  const ownTarget = isPressed ? pressed?.getAttribute('formtarget') : null
  const targets = forms.map(
    (form) => ownTarget ?? getAttribute.call(form, 'target') ?? base?.getAttribute('target') ?? '',
  )
  const frames = [...page.document.querySelectorAll('iframe[name], frame[name], object[name]')]
  const staysHere = (target: string) =>
    /^(|_self|_top|_parent)$/i.test(target) ||
    target === page.window.name ||
    frames.some((frame) => frame.getAttribute('name') === target)
  return { addresses, opens: !targets.every(staysHere) }
}

/**
 * Empties the fields that may show the password: those that were filled in, those that the form has drawn anew, and all that hide their
 * text. Whatever is in them: another user may have stored a guess, and must not learn whether it is right. Returns whether a field for a
 * password had a text.
 */
export function emptyFields(): boolean {
  const filled = (globalThis as LoginPage).proofsheetFilled ?? []
  const last = filled.at(-1)
  if (!last) return false
  const isLike = (other: Field) =>
    ['id', 'name'].some((name) => {
      const value = last.field.getAttribute(name)
      return value !== null && other.getAttribute(name) === value
    })
  const hidden = [...document.querySelectorAll<Field>('input, textarea')].filter(
    (each) => each === last.field || isLike(each) || each.matches('[type=password i]'),
  )
  const hadText = hidden.some(({ value }) => value !== '')
  for (const field of new Set([...hidden, ...filled.map((each) => each.field)])) {
    if (field.value !== undefined && field.value !== '') field.value = ''
  }
  for (const { field, text } of filled) {
    // Some scripts copy what was typed into the attribute.
    if (field.getAttribute('value') === text) field.setAttribute('value', '')
  }
  return hadText
}
