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
