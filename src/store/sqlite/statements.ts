import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Connection } from './connections.ts'
import { type DatabaseFile, translating } from './errors.ts'

/** The text of some statements depends on the number of values. They must not fill the memory. */
const MOST_KEPT = 200

/** The statements of a connection, each prepared and made once. Their parameters are `$1` or `?1`. */
export function createStatements<T>(
  connection: Connection,
  file: DatabaseFile,
  make: (statement: StatementSync) => T,
): (text: string) => T {
  const kept = new Map<string, T>()
  let { database } = connection
  return (text) => {
    if (database !== connection.database) kept.clear()
    database = connection.database
    const known = kept.get(text)
    if (known) return known
    if (kept.size >= MOST_KEPT) kept.clear()
    // SQLite would read `$1` as a name.
    const made = make(translating(file, () => database.prepare(text.replaceAll(/\$(?=\d)/g, '?'))))
    kept.set(text, made)
    return made
  }
}

/** Runs a statement in this moment. The rows are arrays. A list is given as JSON. */
export type Run = (text: string, values?: readonly unknown[]) => unknown[][]

export function createRun(connection: Connection, file: DatabaseFile): Run {
  const statements = createStatements(connection, file, (statement) => {
    statement.setReturnArrays(true)
    return statement
  })
  return (text, values = []) => {
    const statement = statements(text)
    const given = values.map((value) => (Array.isArray(value) ? JSON.stringify(value) : value))
    return translating(file, () => statement.all(...(given as SQLInputValue[]))) as unknown as unknown[][]
  }
}
