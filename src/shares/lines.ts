/** A line for each client; whoever is first in one of them comes next, by turns between clients. */
export class Lines<T> {
  /** By client, in the order of their turns. A line is there as long as someone stands in it. */
  readonly #lines = new Map<string, T[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  join(client: string, item: T): void {
    const line = this.#lines.get(client)
    if (line) line.push(item)
    else this.#lines.set(client, [item])
  }

  /** Of the client whose turn it is; then that client stands behind all others. Undefined: nobody waits. */
  next(): T | undefined {
    for (const [client, line] of this.#lines) {
      this.#lines.delete(client)
      const next = line.shift()
      if (line.length > 0) this.#lines.set(client, line)
      return next
    }
    return undefined
  }
}
