export const EVENT_KINDS = ['page.done', 'page.failed', 'root.finished'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Something that happened to a captured root. What came of it is read from the root itself. */
export interface RootEvent {
  /** Counts up by one within the project. */
  readonly number: number
  readonly kind: EventKind
  readonly rootId: string
  /** Which page of the root. Undefined: it is about the whole root. */
  readonly position: number | undefined
  /** In Unix milliseconds, by the clock of the store. */
  readonly created: number
}

export interface TrimOptions {
  /** Events that are older go. */
  readonly before: number
  /** Of each project, so many of the last ones stay at most. */
  readonly most: number
  /** How many go at a time. */
  readonly limit: number
}

/**
 * The outbox. An event is written in the transaction that makes it true, once. The numbers of a project become visible in
 * their order: who has read up to a number never misses a smaller one. After `root.finished` nothing follows for that
 * root. A number may be missing: its event was trimmed, or its root was removed. Throws as the store does.
 */
export interface Events {
  /** In their order, from just behind the number `after`; 0 for all that are kept. An unknown project has none. */
  read(projectId: string, page: { after: number; limit: number }): Promise<RootEvent[]>
  /** Removes some of those that are too old or too many. Answers how many; 0: nothing is left to trim. */
  trim(options: TrimOptions): Promise<number>
}
