import type { Browsing } from './browsing.ts'
import type { Captures } from './captures.ts'
import type { Events } from './events.ts'
import type { JobText, RootPositions, RootTexts } from './job-text.ts'
import type { Removals } from './removals.ts'

export interface Project {
  readonly projectId: string
  readonly name: string
  readonly created: number
  /** Changes with every write that changes an answer about the project. */
  readonly revision: string
}

export interface ProjectSummary extends Project {
  readonly roots: number
  readonly jobs: number
}

/** A root without its jobs. */
export interface RootHead {
  readonly rootId: string
  readonly created: number
  readonly revision: string
  readonly jobCount: number
  /** The one it was added with. */
  readonly digest: string
}

/** One finished screenshot. */
export interface Job {
  readonly rootId: string
  /** Its place in the request. Places are ascending, not always without gaps. */
  readonly position: number
  readonly uuid: string
  readonly url: string
  readonly name: string
  readonly loadingTime: number
  readonly created: number
  readonly basepath: string
  readonly width: number
  readonly height: number
}

/** Without a position, jobs have that of their order. */
export type NewJob = Omit<Job, 'rootId' | 'position'> & { readonly position?: number }

export interface NewRoot {
  readonly projectId: string
  readonly rootId: string
  readonly created: number
  /** Stands for everything the importer was given; tells a repeat from a conflict. */
  readonly digest: string
  /** In the order of the request. */
  readonly jobs: readonly NewJob[]
}

/** A place in the list of roots: the root after which a page begins. */
export interface RootPosition {
  readonly created: number
  readonly rootId: string
}

/** The same in the list of projects. */
export interface ProjectPosition {
  readonly created: number
  readonly projectId: string
}

export type KeyScope = 'read' | 'write'

export interface ApiKey {
  readonly keyId: string
  readonly projectId: string
  readonly scope: KeyScope
  readonly label: string
  readonly created: number
  readonly revoked: number | undefined
}

/** A key with the only thing of its secret that is kept. */
export interface StoredKey extends ApiKey {
  readonly hash: string
}

/**
 * What is known: projects, roots, jobs, keys. Ids are lower case. Absence is undefined or an empty list.
 * Every method may throw AppError `unavailable` (try again later), `storage_full` or `storage_failed`.
 */
export interface Store {
  /** Throws `conflict` if the id is taken. */
  createProject(project: Omit<Project, 'revision'>): Promise<void>
  findProject(projectId: string): Promise<Project | undefined>
  /** Oldest first, then by id; all of them, or some from just behind `after`. */
  listProjects(page?: { after?: ProjectPosition | undefined; limit?: number }): Promise<Project[]>
  /** With their counts, for which every root is looked at. */
  countProjects(): Promise<ProjectSummary[]>

  /**
   * Adds a root with all its jobs, or nothing. `publish` runs once the ids are known to be this root's alone,
   * and before anyone can see them: it makes the pictures durable under their keys, and may take its time: nobody
   * waits for it. Before each of them it calls `stillOurs`, which throws where another might own the key by now. If
   * it throws, nothing was added. Answers `present` where the same root was added before, or by another at the same
   * time; throws `conflict` where the root or a job exists with other content, `not_found` where the project does
   * not.
   */
  addRoot(root: NewRoot, publish: (stillOurs: () => void) => Promise<void>): Promise<'added' | 'present'>
  /** Which of these are ids of jobs, also of a root that is being added. */
  findTaken(projectId: string, uuids: readonly string[]): Promise<Set<string>>
  /**
   * Runs `work` while these ids are no job's, and no root that is added can take them. `stillOurs` as above. False where
   * one of them is taken: then nothing was run.
   */
  whileFree(
    projectId: string,
    uuids: readonly string[],
    work: (stillOurs: () => void) => Promise<void>,
  ): Promise<boolean>
  findRoot(projectId: string, rootId: string): Promise<RootHead | undefined>
  /** Newest first, then by id; from just behind `after`. */
  pageRoots(projectId: string, page: { after?: RootPosition | undefined; limit: number }): Promise<RootHead[]>
  /** The jobs of these roots, each root's in the order they were requested, from one instant. */
  jobsOf(projectId: string, rootIds: readonly string[]): Promise<Job[]>
  /** Some jobs of one root in their order, from the place `from` on. */
  pageJobs(projectId: string, rootId: string, page: { from: number; limit: number }): Promise<Job[]>
  /** These roots with all their jobs as text, from one instant; without those that do not exist. */
  textsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RootTexts>>
  /** Of one root, as `pageJobs`. */
  pageTexts(
    projectId: string,
    rootId: string,
    page: { from: number; limit: number },
  ): Promise<RootTexts | undefined>
  /** For a root that is read in parts. A job never changes: these are the jobs of the revision, whenever they are read. */
  findPositions(projectId: string, rootId: string): Promise<RootPositions | undefined>
  /** The jobs between two positions, both included. None where there is no root with this id and this digest. */
  textsBetween(
    projectId: string,
    root: Pick<RootHead, 'rootId' | 'digest'>,
    range: { first: number; last: number },
  ): Promise<JobText[]>

  /** Throws `not_found` where the project does not exist, `conflict` where the key does. */
  createKey(key: StoredKey): Promise<void>
  /** A key that was not revoked. */
  findKey(hash: string): Promise<ApiKey | undefined>
  /** Oldest first, also those that were revoked. */
  listKeys(projectId?: string): Promise<StoredKey[]>
  /** False where there is no such key. Revoking twice keeps the first time. */
  revokeKey(keyId: string, at: number): Promise<boolean>

  /** What was kept under a name: the id of the store, and what its other parts are known by. */
  findIdentity(name: string): Promise<string | undefined>
  /** Keeps it, unless there is one already. Answers the one that is there: who keeps at the same time agrees. */
  keepIdentity(name: string, value: string): Promise<string>

  /** The same, as people look at it. */
  readonly browsing: Browsing
  /** What is still to be captured. */
  readonly captures: Captures
  /** What has happened to captured roots. */
  readonly events: Events
  readonly removals: Removals

  /** Whether someone waits for a project, a root or a key: that takes a moment. */
  isLookingUp(): boolean
  /** Loads what writing needs, so that nobody waits for that. */
  prepareToWrite(): Promise<void>
  /** How the connections of this process are used. Undefined where there is no limit to share. */
  connections(): { readonly used: number; readonly waiting: number } | undefined
  /**
   * Looks through everything for damage that the engine can find by itself, beside all else; answers what was found first, and from
   * then on `check` throws.
   */
  findDamage(signal: AbortSignal): Promise<string | undefined>
  /** What an operator should mend although it works: sentences that say how. */
  readonly warnings: readonly string[]
  /** Throws where the store cannot answer, or was found to be damaged. */
  check(): Promise<void>
  close(): Promise<void>
}
