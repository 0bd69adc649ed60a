import { COUNTED_ROOTS } from '../contract/browsing.ts'
import type { Project, ProjectPosition, Store } from '../store/store.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

interface ProjectPage {
  readonly limit: number
  readonly cursor?: string | undefined
  /** A key sees only its own project. */
  readonly only: string | undefined
}

/** The projects, oldest first. */
export class Projects {
  readonly #store: Pick<Store, 'findProject' | 'listProjects' | 'browsing'>

  constructor(store: Pick<Store, 'findProject' | 'listProjects' | 'browsing'>) {
    this.#store = store
  }

  /** One list page. Throws `bad_request` for a bad cursor. */
  async list({
    limit,
    cursor,
    only,
  }: ProjectPage): Promise<{ projects: Project[]; nextCursor: string | undefined }> {
    const after = cursor === undefined ? undefined : positionOf(cursor)
    const found =
      only === undefined
        ? await this.#store.listProjects({ after, limit: limit + 1 })
        : await this.#listOne(only, after)
    const projects = found.slice(0, limit)
    const last = found.length > limit ? projects.at(-1) : undefined
    return { projects, nextCursor: last && encodeCursor({ created: last.created, id: last.projectId }) }
  }

  /** The pictures of a project, as far as they are counted. */
  async countPictures(projectId: string): Promise<{ pictures: number; hasMorePictures?: true }> {
    const { pictures, hasMore } = await this.#store.browsing.countNewest(projectId, COUNTED_ROOTS)
    return hasMore ? { pictures, hasMorePictures: true } : { pictures }
  }

  async #listOne(projectId: string, after: ProjectPosition | undefined): Promise<Project[]> {
    const project = await this.#store.findProject(projectId)
    if (!project) return []
    const isBehind =
      !after ||
      project.created > after.created ||
      (project.created === after.created && projectId > after.projectId)
    return isBehind ? [project] : []
  }
}

function positionOf(cursor: string): ProjectPosition {
  const { created, id: projectId } = decodeCursor(cursor)
  return { created, projectId }
}
