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
import { type Sought, walkMatching } from './search.ts'

/** The read path: rows → signed → bytes. */
export class Results {
  readonly #store: Store
  readonly #images: Images
  readonly #kept: KeptRoots
  readonly #keptBytes: number

  /** `keptBytes`: how many bytes of rendered roots may be kept. */
  constructor(store: Store, images: Images, keptBytes: number) {
    this.#store = store
    this.#images = images
    this.#keptBytes = keptBytes
    this.#kept = new KeptBytes(keptBytes, ({ length }) => length)
  }

  /** One root. */
  getRoot(root: KnownRoot, asked: Asked): Answer | Promise<Answer> {
    const addresses = this.#images.addresses(asked)
    return addresses instanceof Promise
      ? addresses.then((signed) => this.#answerRoot(root, signed))
      : this.#answerRoot(root, addresses)
  }

  #answerRoot(root: KnownRoot, addresses: Addresses): Answer {
    const roots = this.#roots(root.projectId, addresses)
    const etag = roots.etag(root.revision)
    return {
      etag,
      body: () => {
        const kept = root.jobCount > WHOLE_ROOT ? undefined : roots.kept(root)
        return kept ?? makeRootPieces(this.#store, roots, root)
      },
    }
  }

  /** One root with a list page of its jobs, from this position on. */
  async getRootListPage(
    root: KnownRoot,
    { limit, from }: { limit: number; from: number },
    asked: AskedForMuch,
  ): Promise<Answer> {
    const { projectId, rootId } = root
    const roots = this.#roots(projectId, await this.#images.addresses(asked))
    const page = { from, limit: limit + 1 }
    const { head, jobs } = need(await asked.inTurn(() => this.#store.pageTexts(projectId, rootId, page)))
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
  }

  /** All roots of a project, or one list page of them. */
  async listRoots(
    { projectId, revision }: KnownProject,
    { page, sought }: { page: RootListPage | undefined; sought: Sought | undefined },
    asked: AskedForMuch,
  ): Promise<Answer> {
    const roots = this.#roots(projectId, await this.#images.addresses(asked))
    const etag = roots.etag(revision)
    if (page === undefined) {
      const all = () =>
        sought
          ? walkMatching(this.#store, projectId, sought, asked.isGone)
          : walkRoots(this.#store, projectId)
      return { etag, body: () => makeListPieces(this.#store, roots, all()) }
    }
    const { heads, nextCursor } = await findRootListPage(this.#store, projectId, {
      ...asked,
      ...page,
      sought,
    })
    return {
      etag,
      nextCursor,
      body: () => makeListPieces(this.#store, roots, [{ heads, last: true }]),
    }
  }

  #roots(projectId: string, addresses: Addresses): RootBytes {
    return new RootBytes(projectId, addresses, tagOf(addresses), this.#kept, this.#keptBytes / 2)
  }
}
