import type { CaptureReason, CaptureState } from '../../contract/status.ts'
import type { Outcome } from '../captures.ts'
import type { EventKind } from '../events.ts'

/** The tables, as both engines hold them. Times are Unix milliseconds, ids lower case text. */
export interface Schema {
  projects: {
    project_id: string
    name: string
    created: number
    revision: string
    /** The number of its last event. */
    last_event: number
    /** When its removal began. Null: it is shown. */
    removed: number | null
    /** When something of it was last removed. */
    last_removal: number | null
  }
  roots: {
    project_id: string
    root_id: string
    created: number
    revision: string
    job_count: number
    digest: string
    /** While its pictures are being published: when that was last known to go on. BEING_REMOVED; null: shown. */
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
  /** What was asked for; one for each root that was not imported. */
  requests: {
    project_id: string
    root_id: string
    idempotency_key: string | null
    /** See options-text.ts. */
    options: string
    /** Counts up with everything that happens to its captures. */
    version: number
    /** A JSON object: how many of its captures have each mark. */
    marks: string
    /** When its last page ended. Null: some are unfinished. */
    finished: number | null
    outcome: Outcome | null
  }
  captures: {
    project_id: string
    root_id: string
    position: number
    url: string
    name: string
    loading_time: number
    /** Null: none. See options-text.ts. */
    own_options: string | null
    state: CaptureState
    /** Its place among the unfinished ones of its project. */
    turn: number
    attempts: number
    /** How often the process has died that was at it. */
    deaths: number
    /** The last one's id, which is what a late one is told by. */
    attempt: string | null
    /** Not before. */
    due: number
    /** Renewed while someone is at it. A process takes over what it has not seen change for long; the time is for versions before. */
    lease: number | null
    queued: number
    started: number | null
    finished: number | null
    reason: CaptureReason | null
    detail: string | null
    cut: number
    /** JSON; null where nothing came, or it was captured before this was written down. */
    seen: string | null
    /** The version of the request that it last changed with. */
    changed: number
  }
  /** Of each project that ever asked for pages: what decides whose turn it is. */
  turns: {
    project_id: string
    /** Milliseconds of the browser, counted from where the project joined the others. */
    used: number
    /** How many of its captures are not finished. */
    waiting: number
    /** When it joined them: of two that have used the same, the earlier one comes first. */
    since: number
  }
  /** The outbox: what has happened to captured roots, for whoever tells others. */
  events: {
    project_id: string
    /** Counts up by one within the project. */
    number: number
    kind: EventKind
    root_id: string
    /** Null: it is about the whole root. */
    position: number | null
    created: number
  }
  /** What is made once for the whole store, and what its other parts are known by. */
  identity: {
    name: string
    value: string
  }
}
