import { isLookingUp, MOST_LET_AHEAD } from '../work/other-work.ts'

/** Runs one piece of work when its client has its turn. A piece must not wait for another turn. */
export type InTurn = <T>(piece: () => Promise<T>) => Promise<T>

/** Starts a piece. Never rejects. */
type Begin = () => Promise<void>

/** Time for pieces in one iteration of the event loop. After that, small requests come first. A piece takes about as long. */
const LONGEST_MS = 1

/**
 * Long work is done in small pieces. Clients take turns, one piece each: a client that asks for much waits longer, and
 * others do not wait for it. At most `atOnce` pieces run at a time, and at most `ofOne` of a client; more than one is useful with
 * a database server.
 */
export class FairTurns {
  readonly #atOnce: number
  readonly #ofOne: number
  readonly #lines = new Lines<Begin>()
  /** The clients of the pieces under way. */
  readonly #underWay: string[] = []
  #letAhead = 0
  /** Until when this iteration of the event loop may start pieces. Undefined if it has started none. */
  #enough: number | undefined

  constructor(atOnce: number, ofOne = 1) {
    this.#atOnce = atOnce
    this.#ofOne = ofOne
  }

  for(client: string): InTurn {
    return (piece) => this.run(client, piece)
  }

  run<T>(client: string, piece: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#lines.join(client, async () => {
        this.#underWay.push(client)
        await piece().then(resolve, reject)
        this.#underWay.splice(this.#underWay.indexOf(client), 1)
        this.#beginSome()
      })
      this.#beginSome()
    })
  }

  #beginSome(): void {
    while (this.#underWay.length < this.#atOnce) {
      const now = performance.now()
      if (this.#enough !== undefined && now >= this.#enough) return
      const begin = this.#lines.next(this.#mayGoOn)
      if (!begin) return
      if (this.#enough === undefined) {
        this.#enough = now + LONGEST_MS
        setImmediate(this.#nextIteration)
      }
      void begin()
    }
  }

  readonly #mayGoOn = (client: string): boolean => {
    let own = 0
    for (const one of this.#underWay) if (one === client) own++
    return own < this.#ofOne
  }

  readonly #nextIteration = (): void => {
    if (this.#letAhead < MOST_LET_AHEAD && isLookingUp()) {
      this.#letAhead++
      setImmediate(this.#nextIteration)
      return
    }
    this.#letAhead = 0
    this.#enough = undefined
    this.#beginSome()
  }
}

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

  /** Takes the next item of a client that may go on. The client then comes after all others. Undefined if there is none. */
  next(mayGoOn: (client: string) => boolean = () => true): T | undefined {
    for (const [client, line] of this.#lines) {
      if (!mayGoOn(client)) continue
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
