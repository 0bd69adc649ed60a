/** The tables, as both engines hold them. Times are Unix milliseconds, ids lower case text. */
export interface Schema {
  projects: {
    project_id: string
    name: string
    created: number
    revision: string
  }
  roots: {
    project_id: string
    root_id: string
    created: number
    revision: string
    job_count: number
    digest: string
    /** While its pictures are being published: when that was last known to go on. Null: shown. */
    claimed: number | null
    /** How many are publishing them. */
    claimers: number
  }
  jobs: {
    project_id: string
    root_id: string
    position: number
    uuid: string
    url: string
    name: string
    loading_time: number
    created: number
    basepath: string
    width: number
    height: number
  }
  keys: {
    key_id: string
    project_id: string
    hash: string
    scope: 'read' | 'write'
    label: string
    created: number
    revoked: number | null
  }
}
