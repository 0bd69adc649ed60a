import { Lines } from './lines.ts'

/** Runs one piece of work when it is its client's turn. A piece must not wait for a turn itself. */
export type InTurn = <T>(piece: () => Promise<T>) => Promise<T>

/** Begins a piece. Never rejects. */
type Begin = () => Promise<void>

/** Of one iteration of the event loop: after that, small requests come first. A piece takes about as long. */
const LONGEST_MS = 1
/** Iterations for small requests alone, in a row: however many there are, pieces go on. */
const MOST_LET_AHEAD = 4

/**
 * Work that is done in small pieces, by turns between clients: whoever asks for much waits for itself, and others do
 * not wait for it. At most `places` pieces are under way at a time: more than one where a database elsewhere works on
 * them.
 */
export class FairTurns {
  readonly #places: number
  readonly #lines = new Lines<Begin>()
  readonly #isBusy: () => boolean
  #underWay = 0
  #letAhead = 0
  /** When this iteration of the event loop has done enough. Undefined: it has done nothing yet. */
  #enough: number | undefined

  /** `isBusy`: whether a small request is about to be answered, which need not wait for a piece. */
  constructor(places: number, isBusy: () => boolean = () => false) {
    this.#places = places
    this.#isBusy = isBusy
  }

  for(client: string): InTurn {
    return (piece) => this.run(client, piece)
  }

  run<T>(client: string, piece: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#lines.join(client, () => piece().then(resolve, reject))
      this.#beginSome()
    })
  }

  #beginSome(): void {
    while (!this.#lines.isEmpty && this.#underWay < this.#places) {
      const now = performance.now()
      if (this.#enough === undefined) {
        this.#enough = now + LONGEST_MS
        setImmediate(this.#nextIteration)
      } else if (now >= this.#enough) return
      this.#underWay++
      void this.#lines.next()?.().finally(this.#ended)
    }
  }

  readonly #ended = (): void => {
    this.#underWay--
    this.#beginSome()
  }

  readonly #nextIteration = (): void => {
    if (this.#letAhead < MOST_LET_AHEAD && this.#isBusy()) {
      this.#letAhead++
      setImmediate(this.#nextIteration)
      return
    }
    this.#letAhead = 0
    this.#enough = undefined
    this.#beginSome()
  }
}
