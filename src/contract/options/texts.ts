import { type Options, rule, Type } from '../schema.ts'

const MAX_SELECTOR = 1_000
/** A line break would begin another header. */
const CONTROL = /[\p{Cc}]/u

export const Text = (maxLength: number, options: object = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })

/** A rule of the field itself comes after the rule for all lines. */
export const Line = (maxLength: number, options: Options = {}) =>
  Text(maxLength, { ...options, [rule]: (text: string) => problemOfLine(text) ?? options[rule]?.(text) })

export const Selector = (description: string, example = '#main') =>
  Text(MAX_SELECTOR, {
    title: 'selector',
    description: `${description} A CSS selector.`,
    examples: [example],
  })

/** Never shown again: answers have an empty string in its place. `conceal` finds it by `writeOnly`. */
export const Secret = (maxLength: number, options: object = {}) =>
  Text(maxLength, { writeOnly: true, ...options })

export function problemOfLine(text: string): string | undefined {
  return CONTROL.test(text) ? 'must not contain control characters' : undefined
}
