import { namesAny, spellingsOf } from '../sql/roots/search.ts'

/** SQL: whether the name or the address of a row contains the text. Adds its parameters to the values. */
export function namesAnySpelling(q: string, values: unknown[]): string {
  const parameters = spellingsOf(q).map((spelling) => `$${values.push(spelling)}`)
  return namesAny(parameters, (column, parameter) => `strpos(lower(${column} collate "C"), ${parameter}) > 0`)
}
