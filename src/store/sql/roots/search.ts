// The text may be anywhere in a name or an address. Both engines search without patterns, so that no character has a special
// meaning or makes the search slow: LIKE took ten seconds for a text for which this takes a tenth of a second.

/**
 * The spellings of a text to search for, with A to Z in lower case. The engines fold only A to Z. All other letters are folded
 * here, so that the locale of a database does not matter.
 */
export function spellingsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const upper = (letter: string) => letter.toUpperCase()
  const spellings = [
    text,
    lower,
    upper(text),
    lower.replace(/\p{L}/u, upper),
    lower.replaceAll(/(?<![\p{L}\p{M}])\p{L}/gu, upper),
  ]
  return [
    ...new Set(spellings.map((spelling) => spelling.replaceAll(/[A-Z]+/g, (some) => some.toLowerCase()))),
  ]
}

/** SQL: whether the name or the address of a row contains one of the spellings, given as parameters. */
export function namesAny(
  parameters: readonly string[],
  holds: (column: string, parameter: string) => string,
): string {
  const conditions = ['name', 'url'].flatMap((column) =>
    parameters.map((parameter) => holds(column, parameter)),
  )
  return `(${conditions.join(' or ')})`
}
