import type { KeyScope } from '../contract/access.ts'

export type { KeyScope } from '../contract/access.ts'

export interface Project {
  readonly projectId: string
  readonly name: string
  readonly created: number
  /** Changes with every write that changes an answer about the project. */
  readonly revision: string
}

export interface RootKey {
  readonly projectId: string
  readonly rootId: string
}

export interface RootHead {
  readonly rootId: string
  readonly created: number
  readonly revision: string
  readonly jobCount: number
  /** The digest of the `NewRoot`. */
  readonly digest: string
}

/** One finished screenshot. */
export interface Job {
  readonly rootId: string
  /** Its position in the request. Positions may have gaps. */
  readonly position: number
  readonly uuid: string
  /** The name of its picture. */
  readonly picture: string
  readonly url: string
  readonly name: string
  readonly loadingTime: number
  readonly created: number
  readonly basepath: string
  readonly width: number
  readonly height: number
}

/** Without a position, a job gets its index; without a picture, the one with its id. */
export type NewJob = Omit<Job, 'rootId' | 'position' | 'picture'> & Partial<Pick<Job, 'position' | 'picture'>>

export interface NewRoot {
  readonly projectId: string
  readonly rootId: string
  readonly created: number
  /** Covers everything that was imported. It shows whether a second import is a repetition or a conflict. */
  readonly digest: string
  /** In the order of the request. */
  readonly jobs: readonly NewJob[]
}

// Positions in lists. A list page begins after this row.

export type ProjectPosition = Pick<Project, 'created' | 'projectId'>
export type RootPosition = Pick<RootHead, 'created' | 'rootId'>
export type KeyPosition = Pick<ApiKey, 'created' | 'keyId'>

export interface ApiKey {
  readonly keyId: string
  /** Undefined for the scope `admin`, and only for it: such a key is for the whole service. */
  readonly projectId: string | undefined
  readonly scope: KeyScope
  readonly label: string
  readonly created: number
  readonly revoked: number | undefined
}

export interface KeyPage {
  readonly projectId?: string | undefined
  readonly after?: KeyPosition | undefined
  readonly limit?: number
}

/** A key with the hash of its secret. The secret itself is not stored. */
export interface StoredKey extends ApiKey {
  readonly hash: string
}
