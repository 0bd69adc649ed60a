import type { Store } from '../../src/store/store.ts'

export interface StoreDriver {
  /** An empty store, closed when the test is over. Called twice with one place, it opens the same store twice. */
  open(place: string, options?: { clock?: () => number }): Promise<Store>
  /** A place no other test uses. */
  newPlace(): Promise<string>
  /** A place where no store was opened before, if that makes a difference. */
  newEmptyPlace?(): Promise<string>
}

/** Reads a place past its store. */
export type ReadRows = (place: string, statement: string) => Promise<Record<string, unknown>[]>
