import { parseId } from '../contract/ids.ts'
import { AppError, need } from '../errors.ts'
import type { ApiKey, Project, RootHead, RootKey, Store } from '../store/store.ts'

/** Ids as they stand in an address. They may be in upper case, or malformed. */
export type Ids<Name extends string = never> = Readonly<Record<'projectId' | Name, string>>

/** The key that the request uses. Undefined if no key is asked for: then every project is open. */
export type Visitor = Pick<ApiKey, 'projectId' | 'scope'> | undefined

/** A project that exists, and that the visitor may see. */
export type KnownProject = Project

/** A root that exists, and that the visitor may see. */
export type KnownRoot = RootHead & RootKey

type Looked = Pick<Store, 'findProject' | 'findRoot' | 'browsing'>

/**
 * Finds the project, root or job that a request names, with one look-up. Throws the same `not_found` for an id that is malformed,
 * unknown, or belongs to another project.
 */
export class Door {
  readonly #store: Looked

  constructor(store: Looked) {
    this.#store = store
  }

  async getProject(ids: Ids, visitor: Visitor): Promise<KnownProject> {
    return need(await this.#store.findProject(openProject(ids.projectId, visitor)))
  }

  async getRoot(ids: Ids<'jobId'>, visitor: Visitor): Promise<KnownRoot> {
    const projectId = openProject(ids.projectId, visitor)
    return { ...need(await this.#store.findRoot(projectId, requireId(ids.jobId))), projectId }
  }

  async getJob(ids: Ids<'jobId' | 'uuid'>, visitor: Visitor) {
    const projectId = openProject(ids.projectId, visitor)
    const rootId = requireId(ids.jobId)
    const job = await this.#store.browsing.findJob(projectId, requireId(ids.uuid))
    return { ...need(job?.rootId === rootId ? job : undefined), projectId }
  }

  /** Whether a result points at the pictures of this job. */
  async isShown(projectId: string, uuid: string): Promise<boolean> {
    return (await this.#store.browsing.findJob(projectId, uuid)) !== undefined
  }
}

/** The canonical id of a project that the visitor may see. The project may not exist. */
export function openProject(text: string, visitor: Visitor): string {
  if (!isOpenTo(visitor, text)) throw new AppError('not_found')
  return requireId(text)
}

/** A key sees only its own project. An admin key sees all of them. */
export function isOpenTo(visitor: Visitor, projectText: string): boolean {
  if (visitor === undefined || visitor.scope === 'admin') return true
  return visitor.projectId !== undefined && visitor.projectId === parseId(projectText)
}

export function requireId(text: string): string {
  return need(parseId(text))
}
