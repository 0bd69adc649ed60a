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
