/** Runs one piece of work when it is its client's turn. A piece must not wait for a turn itself. */
export type InTurn = <T>(piece: () => Promise<T>) => Promise<T>

/** Begins a piece. Never rejects. */
type Begin = () => Promise<void>

/** Of one iteration of the event loop: after that, small requests come first. A piece takes about as long. */
const LONGEST_MS = 1

/**
 * Work that is done in small pieces, by turns between clients: whoever asks for much waits for itself, and others do
 * not wait for it. At most `places` pieces are under way at a time: more than one where a database elsewhere works on
 * them.
 */
export class FairTurns {
  readonly #places: number
  /** By client, in the order of their turns. A line is there as long as someone stands in it. */
  readonly #lines = new Map<string, Begin[]>()
  #underWay = 0
  /** When this iteration of the event loop has done enough. Undefined: it has done nothing yet. */
  #enough: number | undefined

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
      this.#beginSome()
    })
  }

  #beginSome(): void {
    while (this.#lines.size > 0 && this.#underWay < this.#places) {
      const now = performance.now()
      if (this.#enough === undefined) {
        this.#enough = now + LONGEST_MS
        setImmediate(this.#nextIteration)
      } else if (now >= this.#enough) return
      this.#underWay++
      void this.#next()().finally(this.#ended)
    }
  }

  readonly #ended = (): void => {
    this.#underWay--
    this.#beginSome()
  }

  readonly #nextIteration = (): void => {
    this.#enough = undefined
    this.#beginSome()
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
