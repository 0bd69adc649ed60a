import { AppError, hasChanged } from '../errors.ts'

// The rows that a project owns: templates, schedules and webhooks. People list, create, change and remove them.

/** A position in a list. A list page begins after it. */
export interface Position {
  readonly created: number
  readonly id: string
}

export interface ListPage {
  readonly after?: Position | undefined
  readonly limit: number
}

/** The revision that a change is made to. Undefined: any. */
export interface Expected {
  readonly revision?: string | undefined
}

/** How many of them a project may have. Undefined: any number. */
export interface Room {
  readonly most?: number | undefined
}

/**
 * Makes a change to a row as it was read. `change` throws `precondition_failed` if someone was faster. Then it is made to the row that is
 * there now, unless the caller has named the `revision`.
 */
export async function untilUnchanged<Row extends { readonly revision: string }>(
  known: Row,
  revision: string | undefined,
  find: () => Promise<Row>,
  change: (before: Row) => Promise<Row>,
): Promise<Row> {
  for (let before = known; ; before = await find()) {
    if (revision !== undefined && revision !== before.revision) throw hasChanged()
    try {
      return await change(before)
    } catch (error) {
      const isStale = error instanceof AppError && error.code === 'precondition_failed'
      if (!isStale || revision !== undefined) throw error
    }
  }
}

const AT_ONCE = 100

/** Reads a list to its end, one list page after the other. For lists that are not long. */
export async function readAll<T extends { readonly created: number }>(
  readPage: (page: ListPage) => Promise<readonly T[]>,
  idOf: (each: T) => string,
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const last = all.at(-1)
    const page = await readPage({ after: last && { created: last.created, id: idOf(last) }, limit: AT_ONCE })
    all.push(...page)
    if (page.length < AT_ONCE) return all
  }
}
