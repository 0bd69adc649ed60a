import { setImmediate as nextIteration } from 'node:timers/promises'

/** Runs one piece of work when it is its client's turn. */
export type InTurn = <T>(piece: () => Promise<T>) => Promise<T>

/** Begins a piece. Never rejects. */
type Begin = () => Promise<void>

/**
 * Work that is done in small pieces, by turns between clients: whoever asks for much waits for itself, and others do
 * not wait for it. One piece begins in each iteration of the event loop, so that small requests come in between.
 * At most `places` pieces are under way at a time: more than one where a database elsewhere works on them.
 */
export class FairTurns {
  readonly #places: number
  /** By client, in the order of their turns. A line is there as long as someone stands in it. */
  readonly #lines = new Map<string, Begin[]>()
  #underWay = 0
  #isBeginning = false

  constructor(places: number) {
    this.#places = places
  }

  for(client: string): InTurn {
    return (piece) => this.run(client, piece)
  }

  run<T>(client: string, piece: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = () => piece().then(resolve, reject)
      const line = this.#lines.get(client)
      if (line) line.push(begin)
      else this.#lines.set(client, [begin])
      if (!this.#isBeginning) void this.#beginAll()
    })
  }

  async #beginAll(): Promise<void> {
    this.#isBeginning = true
    while (this.#lines.size > 0 && this.#underWay < this.#places) {
      this.#underWay++
      void this.#next()().finally(() => {
        this.#underWay--
        if (!this.#isBeginning) void this.#beginAll()
      })
      await nextIteration()
    }
    this.#isBeginning = false
  }

  /** Of the client whose turn it is; then that client stands behind all others. */
  #next(): Begin {
    const [client, line] = this.#lines.entries().next().value as [string, Begin[]]
    this.#lines.delete(client)
    const next = line.shift() as Begin
    if (line.length > 0) this.#lines.set(client, line)
    return next
  }
}
