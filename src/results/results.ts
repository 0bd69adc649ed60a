import type { KnownProject, KnownRoot } from '../access/door.ts'
import { need } from '../errors.ts'
import type { Addresses, Images } from '../images/images.ts'
import type { Store } from '../store/store.ts'
import { walkRoots } from '../store/walk-roots.ts'
import { KeptBytes } from '../work/kept.ts'
import type { Answer, Asked, AskedForMuch } from './answer.ts'
import { WHOLE_ROOT } from './large-root.ts'
import { listPieces, makeListPieces, makeRootPieces } from './pieces.ts'
import { CLOSE_ROOT, openRoot, tagOf } from './render.ts'
import { type KeptRoots, RootBytes } from './root-bytes.ts'
import { encodePosition, findRootListPage, type RootListPage } from './root-list-pages.ts'
import { type Sought, searchRoots } from './search.ts'

export type Results = ReturnType<typeof createResults>

/** The read path: rows → signed → bytes. `keptBytes`: how many bytes of rendered roots may be kept. */
export function createResults(store: Store, images: Images, keptBytes: number) {
  const kept: KeptRoots = new KeptBytes(keptBytes, ({ length }) => length)
  const rootsOf = (projectId: string, addresses: Addresses) =>
    new RootBytes(projectId, addresses, tagOf(addresses), kept, keptBytes / 2)
  const answerRoot = (root: KnownRoot, addresses: Addresses): Answer => {
    const roots = rootsOf(root.projectId, addresses)
    return {
      etag: roots.etag(root.revision),
      body: () => {
        const whole = root.jobCount > WHOLE_ROOT ? undefined : roots.kept(root)
        return whole ?? makeRootPieces(store, roots, root)
      },
    }
  }

  return {
    getRoot(root: KnownRoot, asked: Asked): Answer | Promise<Answer> {
      const addresses = images.addresses(asked)
      return addresses instanceof Promise
        ? addresses.then((signed) => answerRoot(root, signed))
        : answerRoot(root, addresses)
    },

    /** One root with a list page of its jobs, from this position on. */
    async getRootListPage(
      root: KnownRoot,
      { limit, from }: { limit: number; from: number },
      asked: AskedForMuch,
    ): Promise<Answer> {
      const { projectId, rootId } = root
      const roots = rootsOf(projectId, await images.addresses(asked))
      const page = { from, limit: limit + 1 }
      const { head, jobs } = need(await asked.inTurn(() => store.pageTexts(projectId, rootId, page)))
      const shown = jobs.slice(0, limit)
      const last = jobs.length > limit ? shown.at(-1) : undefined
      return {
        etag: roots.etag(head.revision),
        nextCursor: last && encodePosition(last.position + 1),
        body: () => {
          const around = { open: openRoot(head), close: CLOSE_ROOT }
          return listPieces(shown, (job) => roots.renderJobs(head, [job]), around)
        },
      }
    },

    async listRoots(
      { projectId, revision }: KnownProject,
      { page, sought }: { page: RootListPage | undefined; sought: Sought | undefined },
      asked: AskedForMuch,
    ): Promise<Answer> {
      const roots = rootsOf(projectId, await images.addresses(asked))
      const etag = roots.etag(revision)
      if (page === undefined) {
        const all = () =>
          sought ? searchRoots(store, projectId, sought, asked) : walkRoots(store, projectId)
        return { etag, body: () => makeListPieces(store, roots, all()) }
      }
      const { heads, nextCursor } = await findRootListPage(store, projectId, { ...asked, ...page, sought })
      return { etag, nextCursor, body: () => makeListPieces(store, roots, [{ heads, last: true }]) }
    },
  }
}
