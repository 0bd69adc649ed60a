import type { Browsing } from './browsing.ts'
import type { Captures } from './captures.ts'
import type { Deliveries } from './deliveries.ts'
import type { Events } from './events.ts'
import type { JobText, RootPositions, RootTexts } from './job-text.ts'
import type { Removals } from './removals.ts'
import type {
  ApiKey,
  Job,
  KeyPage,
  NewRoot,
  Project,
  ProjectPosition,
  ProjectSummary,
  RootHead,
  RootPosition,
  StoredKey,
} from './rows.ts'
import type { ScheduledRoots, Schedules } from './schedules.ts'
import type { Webhooks } from './webhooks.ts'

export type * from './rows.ts'

import type { Templates } from './templates.ts'

/**
 * Projects, roots, jobs and keys. Ids are lower case. Absence is undefined or an empty list.
 * Every method may throw AppError `unavailable` (try again later), `storage_full`, `read_only` or
 * `storage_failed`.
 */
export interface Store {
  /** Throws `conflict` if the id is taken. */
  createProject(project: Omit<Project, 'revision'>): Promise<void>
  findProject(projectId: string): Promise<Project | undefined>
  /** Oldest first, then by id. All of them, or some after `after`. */
  listProjects(page?: { after?: ProjectPosition | undefined; limit?: number }): Promise<Project[]>
  /**
   * Gives it another name and a new revision. Undefined if there is no such project. Throws `precondition_failed` if it has
   * another revision than the one that is given.
   */
  renameProject(projectId: string, name: string, revision?: string): Promise<Project | undefined>
  /** With their counts. It reads every root. */
  countProjects(): Promise<ProjectSummary[]>

  /**
   * Adds a root with all its jobs, or nothing. `publish` makes the pictures durable under their keys. It runs after the ids
   * are claimed for this root, and before the root is shown. It may take long: no other writer waits for it. Before each
   * picture it calls `stillOurs`, which throws if another process may own the ids now. If `publish` throws, nothing is
   * added. Returns `present` if the same root was added before, or by another process at the same time. Throws `conflict`
   * if the root or a job exists with other content, `not_found` if the project does not exist.
   */
  addRoot(root: NewRoot, publish: (stillOurs: () => void) => Promise<void>): Promise<'added' | 'present'>
  /** Which of these are ids of jobs, including jobs of a root that is being added. */
  findTaken(projectId: string, uuids: readonly string[]): Promise<Set<string>>
  /**
   * Runs `work` while no job has these ids, and no new root can take them. `stillOurs` as above. False if one of the ids is
   * taken: then `work` did not run.
   */
  whileFree(
    projectId: string,
    uuids: readonly string[],
    work: (stillOurs: () => void) => Promise<void>,
  ): Promise<boolean>
  findRoot(projectId: string, rootId: string): Promise<RootHead | undefined>
  /** Newest first, then by id, after `after`. */
  pageRoots(projectId: string, page: { after?: RootPosition | undefined; limit: number }): Promise<RootHead[]>
  /** The jobs of these roots, from one instant. The jobs of each root are in the order of the request. */
  jobsOf(projectId: string, rootIds: readonly string[]): Promise<Job[]>
  /** Some jobs of one root in their order, from the position `from` on. */
  pageJobs(projectId: string, rootId: string, page: { from: number; limit: number }): Promise<Job[]>
  /** These roots with all their jobs as text, from one instant. Roots that do not exist are left out. */
  textsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RootTexts>>
  /** As `pageJobs`, but as text. */
  pageTexts(
    projectId: string,
    rootId: string,
    page: { from: number; limit: number },
  ): Promise<RootTexts | undefined>
  /** For a root that is read in parts. Jobs never change, so the jobs at these positions always give this revision. */
  findPositions(projectId: string, rootId: string): Promise<RootPositions | undefined>
  /** The jobs between two positions, both included. None if there is no root with this id and this digest. */
  textsBetween(
    projectId: string,
    root: Pick<RootHead, 'rootId' | 'digest'>,
    range: { first: number; last: number },
  ): Promise<JobText[]>

  /** Throws `not_found` if the project does not exist, `conflict` if the key exists. */
  createKey(key: StoredKey): Promise<void>
  /** A key that was not revoked. With a session, by the hash of its id: and the session has not ended. */
  findKey(hash: string, session?: string): Promise<ApiKey | undefined>
  /** Oldest first, then by id, including revoked keys. Those of all projects, or of one; all of them, or some after `after`. */
  listKeys(page?: KeyPage): Promise<StoredKey[]>
  /** False if there is no such key. If it was revoked before, the first time is kept. */
  revokeKey(keyId: string, at: number): Promise<boolean>

  /** A value that was kept under a name: the id of the store, or the identity of one of its other parts. */
  findIdentity(name: string): Promise<string | undefined>
  /** Keeps a value, unless there is one. Returns the value that is there, so that two processes at the same time agree. */
  keepIdentity(name: string, value: string): Promise<string>
  /**
   * A time that is kept under a name. It follows `now`, corrected to the clock of the store, but goes ahead by `most` with each
   * call at most, and back with it. The first call trusts `now`.
   */
  followTime(name: string, options: { now: number; most: number }): Promise<number>

  /** Queries for answers to people. */
  readonly browsing: Browsing
  /** Requests and their captures. */
  readonly captures: Captures
  /** The outbox. */
  readonly events: Events
  readonly removals: Removals
  /** Roots whose pages are captured later, once. */
  readonly scheduledRoots: ScheduledRoots
  /** Recurring schedules. */
  readonly schedules: Schedules
  readonly webhooks: Webhooks
  /** The work of delivering. */
  readonly deliveries: Deliveries
  readonly templates: Templates
  readonly endedSessions: EndedSessions

  /** The use of the connections of this process. Undefined if they have no limit. */
  connections(): { readonly used: number; readonly waiting: number } | undefined
  /**
   * Searches the whole database for damage that the engine can find, in the background. Returns the first damage. From then on
   * `check` throws.
   */
  findDamage(signal: AbortSignal): Promise<string | undefined>
  /** Advice for the operator: problems that do not stop the service, and how to solve them. */
  readonly warnings: readonly string[]
  /** Throws if the store cannot answer, or is damaged. */
  check(): Promise<void>
  /**
   * Throws if nothing can be written: `storage_full` or `read_only`, with a message for clients. It looks, at most every few
   * seconds while all is well. After a write has failed, it tries one.
   */
  checkWriting(): Promise<void>
  /** Whether the last write failed for such a reason. */
  hasFailedToWrite(): boolean
  close(): Promise<void>
}

/** A session that somebody has signed out of. */
export interface EndedSession {
  /** A hash of its id. */
  readonly session: string
  /** The key that it began with, so that nobody can end more than some. A hash. */
  readonly owner: string
}

/** `Store.findKey` finds no key for a session that is among these. Errors are those of `Store`. */
export interface EndedSessions {
  /** Durable when it returns. Throws `rate_limited` if its owner has `most` already. */
  end(session: EndedSession, limit: { readonly most: number }): Promise<void>
  /**
   * Counts the days, and forgets up to `limit` sessions that ended more than `days` ago. A day counts when a call comes at
   * least a day after the call that counted the day before: a clock that jumps by a year counts as one day. Returns how many were
   * forgotten.
   */
  forget(options: { readonly now: number; readonly days: number; readonly limit: number }): Promise<number>
}
