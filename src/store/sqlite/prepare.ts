import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { translating } from './errors.ts'

/** Makes a statement that answers its rows as arrays. */
export type Prepare = (text: string) => (...values: SQLInputValue[]) => unknown[][]

export function preparing(database: DatabaseSync, path: string): Prepare {
  return (text) => {
    const statement = translating(path, () => database.prepare(text))
    statement.setReturnArrays(true)
    return (...values) => translating(path, () => statement.all(...values) as unknown as unknown[][])
  }
}
