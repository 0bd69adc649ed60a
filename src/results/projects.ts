import { COUNTED_ROOTS } from '../contract/browsing.ts'
import { type ListPage, readListPage } from '../store/cursor.ts'
import type { ProjectPosition, Store } from '../store/store.ts'

interface ProjectPage extends ListPage {
  /** A key sees only its own project. A session may have several keys. Undefined: all projects. */
  readonly only: readonly string[] | undefined
}

export type Projects = ReturnType<typeof createProjects>

/** The projects, oldest first. */
export function createProjects(store: Pick<Store, 'findProject' | 'listProjects' | 'browsing'>) {
  const listOnly = async (projectIds: readonly string[], after: ProjectPosition | undefined) => {
    const found = await Promise.all([...new Set(projectIds)].map((id) => store.findProject(id)))
    return found
      .filter((project) => project !== undefined)
      .filter((project) => !after || compare(project, after) > 0)
      .sort(compare)
  }

  return {
    /** One list page. Throws `bad_request` for a bad cursor. */
    async list({ only, ...page }: ProjectPage) {
      return await readListPage(
        page,
        ({ after: last, limit }) => {
          const after = last && { created: last.created, projectId: last.id }
          return only ? listOnly(only, after) : store.listProjects({ after, limit })
        },
        ({ projectId }) => projectId,
      )
    },

    /** The pictures of a project, as far as they are counted. */
    async countPictures(projectId: string): Promise<{ pictures: number; hasMorePictures?: true }> {
      const { pictures, hasMore } = await store.browsing.countNewest(projectId, COUNTED_ROOTS)
      return hasMore ? { pictures, hasMorePictures: true } : { pictures }
    },
  }
}

/** Oldest first, then by id. */
function compare(one: ProjectPosition, other: ProjectPosition): number {
  return (
    one.created - other.created ||
    (one.projectId < other.projectId ? -1 : Number(one.projectId > other.projectId))
  )
}
