import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { namesAny } from '../sql/roots/search.ts'
import type { Connection } from './connections.ts'
import { type DatabaseFile, translating } from './errors.ts'

/** The first statement: texts may be long. */
const FIRST_ROWS = 8
/** A statement that took longer is followed by one for half as many rows, and one that took less by one for twice as many. */
const STATEMENT_MS = 1

/** Makes a statement that returns its rows as arrays. */
export type Prepare = (text: string) => (...values: SQLInputValue[]) => unknown[][]

export function preparing(connection: Connection, file: DatabaseFile): Prepare {
  return (text) => {
    let prepared: StatementSync | undefined
    let database = connection.database
    const prepare = () => {
      database = connection.database
      prepared = database.prepare(text)
      prepared.setReturnArrays(true)
      return prepared
    }
    translating(file, prepare)
    return (...values) =>
      translating(file, () => {
        const statement = prepared && database === connection.database ? prepared : prepare()
        return statement.all(...values) as unknown as unknown[][]
      })
  }
}

/**
 * How many rows the next statement of a search looks at. An address has 20 characters or 8,000: as many rows of either would take a
 * twentieth of a millisecond, or keep everyone waiting.
 */
export class RowsAtOnce {
  readonly #most: number
  #next: number
  /** By the last statement. */
  asked = 0

  constructor(most: number) {
    this.#most = most
    this.#next = Math.min(FIRST_ROWS, most)
  }

  /** `room`: no more than this. */
  time<T>(look: (rows: number) => T, room = this.#most): T {
    this.asked = Math.min(this.#next, room)
    const began = performance.now()
    const found = look(this.asked)
    const isLong = performance.now() - began > STATEMENT_MS
    this.#next = isLong ? Math.ceil(this.asked / 2) : Math.min(this.#most, 2 * this.asked)
    return found
  }
}

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
