/** A line for each client. Clients take turns: each turn, the first in one line is next. */
export class Lines<T> {
  /** By client, in the order of their turns. An empty line is removed. */
  readonly #lines = new Map<string, T[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  join(client: string, item: T): void {
    const line = this.#lines.get(client)
    if (line) line.push(item)
    else this.#lines.set(client, [item])
  }

  /** Takes the next item. Its client then comes after all others. Undefined if all lines are empty. */
  next(): T | undefined {
    for (const [client, line] of this.#lines) {
      const next = line.shift()
      if (line.length === 0) this.#lines.delete(client)
      else if (this.#lines.size > 1) {
        this.#lines.delete(client)
        this.#lines.set(client, line)
      }
      return next
    }
    return undefined
  }
}
