import type { CaptureReason, CaptureState } from '../../contract/status.ts'
import type { CaptureKey, CaptureTimes, Outcome, RequestedPage, RootEvent } from '../captures.ts'
import type { Job, Project, RootHead, RootKey, StoredKey } from '../rows.ts'
import type { StoredSchedule } from '../schedules.ts'
import type { StoredTemplate } from '../templates.ts'
import type { OffReason, StoredDelivery, StoredWebhook, WebhookKey } from '../webhooks.ts'

/** `projectId` is `project_id`. */
type Column<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Column<Rest>}`
  : ''

/** The columns of an object. Undefined is null. */
type Row<T> = {
  -readonly [Name in keyof T as Column<Name>]-?: undefined extends T[Name]
    ? Exclude<T[Name], undefined> | null
    : T[Name]
}

/** `project_id` is `projectId`. */
type Name<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Name<Rest>>}`
  : Extract<Column, string>

type Fields<R> = {
  [Column in keyof R as Name<Column>]: null extends R[Column]
    ? Exclude<R[Column], null> | undefined
    : R[Column]
}

/** The object of a row. Null is undefined. */
export function fromRow<R extends object>(row: R): Fields<R> {
  const fields = Object.entries(row).map(([column, value]) => {
    const name = column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    return [name, value ?? undefined]
  })
  return Object.fromEntries(fields)
}

/** The tables of both engines. Times are Unix milliseconds, ids are lower case text. */
export interface Tables {
  projects: Row<Project> & {
    last_event: number
    /** When its removal began. Null: it is shown. */
    removed: number | null
    last_removal: number | null
  }
  roots: Row<RootKey & RootHead> & {
    /** While its pictures are being published: when the claim was last renewed. Or BEING_REMOVED. Null: it is shown. */
    claimed: number | null
    /** How many imports share the claim. */
    claimers: number
  }
  jobs: Row<RootKey & Omit<Job, 'picture'>> & {
    /** The name of its picture. Null: its uuid. */
    picture: string | null
  }
  keys: Row<StoredKey>
  /** One for each root that was not imported. */
  requests: Row<RootKey> & {
    idempotency_key: string | null
    /** See columns.ts. */
    options: string
    /** Counts up with everything that happens to its captures. */
    version: number
    /** A JSON object: how many of its captures have each mark. */
    marks: string
    /** When its last page ended. Null: some are unfinished. */
    finished: number | null
    outcome: Outcome | null
    /** When its pages are queued. Null: at once. */
    scheduled: number | null
    /** When the pages of a scheduled root were queued. */
    begun: number | null
    template_id: string | null
    /** The recurring schedule that made it, and for which of its times. Together they are unique. */
    schedule_id: string | null
    occurrence: number | null
    late_ms: number | null
    missed: number | null
  }
  captures: Row<CaptureKey & Omit<RequestedPage, 'ownOptions'> & CaptureTimes> & {
    /** Null: none. See columns.ts. */
    own_options: string | null
    state: CaptureState
    /** Its position in the queue of its project. */
    turn: number
    attempts: number
    /** How often a process died while it captured this page. */
    deaths: number
    /** The id of the last attempt. A late attempt has another id. */
    attempt: string | null
    /** The next attempt begins at this time, or later. */
    due: number
    /** Changes while its process lives. Other processes take over if it does not change. Only older versions use the time. */
    lease: number | null
    reason: CaptureReason | null
    detail: string | null
    cut: number
    /** JSON. Null if the page did not come, or was captured by a version that did not write it. */
    seen: string | null
    /** The version of the request when it last changed. */
    changed: number
  }
  /** The secrets of unfinished captures, sealed. They go with the end of the capture, or with its row. */
  secrets: Row<CaptureKey> & { sealed: string }
  /** One for each project that ever requested pages. It decides whose turn it is. */
  turns: {
    project_id: string
    /** Milliseconds of the browser. A project that joins begins with the least of the others. */
    used: number
    /** How many of its captures are not finished. */
    waiting: number
    /** When it joined. Of two projects that have used the same, the earlier one comes first. */
    since: number
  }
  /** The outbox: what has happened to captured roots. */
  events: Row<RootKey & RootEvent>
  schedules: Row<Omit<StoredSchedule, 'paused' | 'next' | 'problem'>> & {
    paused: number
    /** Its next time. Null: there is none, or it is paused. */
    next: number | null
    /** When the root of that time is made. */
    due: number | null
    /** Why the last time made no root. */
    problem: string | null
    problem_at: number | null
  }
  webhooks: Row<Omit<StoredWebhook, 'events' | 'paused' | 'secrets' | 'off'>> & {
    /** A JSON array of events. */
    events: string
    paused: number
    /** A JSON array: sealed texts, each with the time until which it is valid. */
    secrets: string
    /** The number of the last event of its project that was made into a delivery, or was not wanted. */
    after: number
    /** Larger than all others when an attempt begins. The webhook with the smallest is next of its project. */
    turn: number
    /** When its next attempt is due. Null: nothing can be begun. */
    next_due: number | null
    /** How long every attempt has failed, added up from attempt to attempt. */
    failing_ms: number
    /** When the last attempt failed, if `failing_since` is there. */
    last_failed: number | null
    off_since: number | null
    off_reason: OffReason | null
    off_detail: string | null
  }
  deliveries: Row<WebhookKey & Omit<StoredDelivery, 'due' | 'last'>> & {
    /** The number of its event. Null: it is a test. */
    number: number | null
    /** Null: it waits for an earlier one of its root, or has ended. */
    due: number | null
    /** When `due` was written. Null: an older version wrote it. */
    since: number | null
    /** The id of the attempt under way. A late attempt has another id. */
    attempt: string | null
    /** Until when the process of this attempt owns the delivery. Null: nothing is under way. */
    lease: number | null
    last_at: number | null
    last_ms: number | null
    last_status: number | null
    last_answer: string | null
    last_problem: string | null
  }
  templates: Row<StoredTemplate>
  ended_sessions: {
    /** A hash of its id. */
    session: string
    /** A hash of the key that it began with. */
    owner: string
    /** In which of the counted days it ended. */
    day: number
  }
  /** Has at most one row. */
  session_days: {
    one: number
    day: number
    /** When that day was counted. */
    begun: number
  }
  /** Times that must not jump with the clock. */
  times: {
    name: string
    time: number
  }
  /** Values that are made once: the id of the store, and the identities of its other parts. */
  identity: {
    name: string
    value: string
  }
}

/**
 * The tables of what projects own, and people list, create, read, change and remove. Their rows are copied and removed with their project.
 * In these columns a copy begins anew: a copied schedule is paused, because both storages may be in use for a while.
 */
export const OWNED = {
  templates: { last_root: null },
  schedules: {
    ...{ paused: 1, next: null, due: null, last_root: null, runs: 0, late: 0, skipped: 0 },
    ...{ last_skipped: null, problem: null, problem_at: null },
  },
  webhooks: {
    ...{ turn: 0, next_due: null, failing_since: null, failing_ms: 0, last_failed: null },
    ...{ off_since: null, off_reason: null, off_detail: null },
  },
} as const satisfies { readonly [T in keyof Tables]?: Partial<Tables[T]> }

export type OwnedTable = keyof typeof OWNED
