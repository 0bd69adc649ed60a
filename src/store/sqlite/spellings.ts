import { namesAny } from '../sql/roots/search.ts'

/** SQL: whether the name or the address of a row contains one of `count` spellings. `first`: their first parameter. */
export function namesAnySpelling(count: number, first: number): string {
  const parameters = Array.from({ length: count }, (_, index) => `?${first + index}`)
  return namesAny(parameters, (column, parameter) => `instr(lower(${column}), ${parameter}) > 0`)
}

/** Statements by the number of their spellings, each prepared once. */
export function keeping<T>(make: (count: number) => T): (count: number) => T {
  const made = new Map<number, T>()
  return (count) => {
    const one = made.get(count) ?? make(count)
    made.set(count, one)
    return one
  }
}
