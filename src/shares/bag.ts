/** An item and its place in the bag. */
export interface Placed<T> {
  readonly item: T
  place: number
}

/**
 * Holds what comes and goes with requests, in no order. Not a `Set`: V8 gives a set that changes a new table again and
 * again, and each table leads to the next. One that has become old keeps all later ones, with all that was in them, until the
 * next collection of everything. With a set of the answers under way, the collector stopped the service for 16 to 18 ms
 * at a time instead of 1.
 */
export class Bag<T> {
  readonly #placed: Placed<T>[] = []

  add(item: T): Placed<T> {
    const placed = { item, place: this.#placed.length }
    this.#placed.push(placed)
    return placed
  }

  /** The last one takes its place. An item must not be removed twice. */
  remove({ place }: Placed<T>): void {
    const last = this.#placed.pop()
    if (last === undefined || last.place === place) return
    this.#placed[place] = last
    last.place = place
  }

  /** From the end: a loop that pauses while items come and go misses none that stays. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#placed.length - 1; place >= 0; place--) {
      const placed = this.#placed[place]
      if (placed) yield placed.item
    }
  }
}
