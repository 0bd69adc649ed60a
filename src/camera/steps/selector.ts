import type { State } from '../in-page/elements.ts'

const WORD = /^[\p{L}\p{N}_-]+$/u
/** A word that can be the name of an element. */
const NAME = /^(--|-?[\p{L}_])[\p{L}\p{N}_-]*$/u
/** The part of a selector that is shown. */
const MAX_SHOWN = 200

/** A selector as it was given, for CSS: a bare word that matches nothing stands for an id. */
export function toCss(given: string): string {
  const text = given.trim()
  if (!WORD.test(text)) return text
  const id = `[id="${text}"]`
  return NAME.test(text) ? `${text}, :root:not(:has(${text})) ${id}` : id
}

export function sayWhy(given: string, state: State): string {
  const selector = show(given)
  return {
    invalid: `${selector} is not a valid CSS selector.`,
    missing: `There is no element ${selector} on the page.`,
    hidden: `The element ${selector} is not visible.`,
    disabled: `The element ${selector} is disabled.`,
    not_a_field: `The element ${selector} cannot be filled in.`,
    covered: `Another element covers ${selector}, or it moves.`,
    readable: `The element ${selector} shows what is typed: a password goes only into a field that hides it.`,
    elsewhere: `The page went to another origin before ${selector} could be used.`,
    silent: `The page did not answer when it was asked for ${selector}.`,
    ready: `The element ${selector} is there.`,
  }[state]
}

/** The page has not answered for this option. */
export function sayLast(option: string): string {
  return `It was last asked for ${option}: a selector there may take the browser too long.`
}

export function show(selector: string): string {
  return selector.length > MAX_SHOWN ? `${selector.slice(0, MAX_SHOWN)}…` : selector
}
