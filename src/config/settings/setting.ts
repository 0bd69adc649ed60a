import { duration, integer, oneOf } from '../values.ts'

/** One variable of the environment: how docs/settings.md describes it, and how its text becomes a value. */
export interface Setting<T> {
  readonly type: string
  /** The default: a text to parse, or words that describe it. */
  readonly default: string | { readonly words: string }
  readonly example: string
  readonly help: string
  /** Throws an Error whose message completes the sentence "NAME …". */
  readonly parse: (text: string) => T
}

export type Settings = Record<string, Setting<unknown>>

export function number(min: number, max: number) {
  return { type: 'number', parse: integer(min, max) }
}

export function time(min: string, max: string) {
  return { type: 'duration', parse: duration(min, max) }
}

export function choice<const T extends string>(...choices: T[]) {
  return { type: 'choice', parse: oneOf(...choices) }
}
