import type { EVENTS, WebhookEvent } from '../contract/webhook-names.ts'

export type EventKind = (typeof EVENTS)[WebhookEvent]['kind']

/** Something that happened to a captured root. The result itself is read from the root. */
export interface RootEvent {
  /** Counts up by one within the project. */
  readonly number: number
  readonly kind: EventKind
  readonly rootId: string
  /** The page of the root. Undefined if the event is about the whole root. */
  readonly position: number | undefined
  /** In Unix milliseconds, by the clock of the store. */
  readonly created: number
}

export interface TrimOptions {
  /** Older events are removed. */
  readonly before: number
  /** Each project keeps at most this many of its newest events. */
  readonly most: number
  /** How many are removed at a time. */
  readonly limit: number
}

/**
 * The outbox. An event is written once, in the transaction that makes it true. The numbers of a project become visible in
 * their order: a reader that has read up to a number never misses a smaller one. `root.finished` is the last event of its
 * root. A number may be missing: its event was trimmed, or its root was removed. Errors are those of `Store`.
 */
export interface Events {
  /** In their order, after the number `after`. 0: all that are kept. An unknown project has none. */
  read(projectId: string, page: { after: number; limit: number }): Promise<RootEvent[]>
  /**
   * Removes some of the events that are too old or too many, but none that a webhook still has to look at. Returns how many. 0:
   * nothing is left to trim.
   */
  trim(options: TrimOptions): Promise<number>
}
