import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** A database that a driver has opened. It translates the errors of its engine. `read` and `write` may be one connection. */
export interface Connections {
  readonly read: Kysely<Tables>
  readonly write: Kysely<Tables>
  /** Transactions run at the same time, and lock rows. If false, each waits for the one before. */
  readonly severalWriters: boolean
  /** How far the clock of the database is ahead of the clock of this machine. */
  readonly clockSkew: () => Promise<number>
  /** The time of this machine, in Unix milliseconds. */
  readonly clock: () => number
}

/** A database with the tables of the store. */
export class Database {
  readonly read: Kysely<Tables>
  /** Whether rows must be locked. */
  readonly lock: boolean
  readonly clock: () => number
  readonly skew: () => Promise<number>
  readonly #write: Kysely<Tables>

  constructor({ read, write, severalWriters, clockSkew, clock }: Connections) {
    this.read = read
    this.lock = severalWriters
    this.clock = clock
    this.skew = clockSkew
    this.#write = write
  }

  /** Every write uses a transaction, also a single statement: only a transaction waits for other writers. */
  async transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return await this.#write.transaction().execute(work)
  }

  /** A time of this machine, by the clock of the database. */
  async timeAt(time: number): Promise<number> {
    return time + (await this.skew())
  }
}

/** Differences between the engines. */
export interface Engine {
  /** The type of a UUID. `uuid` takes 16 bytes. */
  readonly id: 'text' | 'uuid'
  /** The expression for the index of jobs by address. Long addresses are shortened to fit into an entry. */
  readonly page: string
  /** During an upgrade, instances of the version before may use the same tables. */
  readonly oldVersionRuns: boolean
  /** The schema of the tables, if the engine has schemas. */
  readonly schema?: string
}
