import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Connection } from './connections.ts'
import { type DatabaseFile, translating } from './errors.ts'

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
