/** What engines call differently. */
export interface Engine {
  /** The type of a UUID: 16 bytes where the engine knows such a thing. */
  readonly id: 'text' | 'uuid'
  /** What an index of jobs by their address is made of: no more of a long one than an entry may hold. */
  readonly page: string
  /** While instances are replaced one after the other, the version before uses the same tables. */
  readonly oldVersionRuns: boolean
  /** Where the tables lie, if the engine has more than one place for them. */
  readonly schema?: string
}
