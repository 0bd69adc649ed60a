import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import type { Addresses, Images } from '../images/images.ts'
import type { InTurn } from '../shares/fair-turns.ts'
import type { Store } from '../store/store.ts'
import { walkRoots } from '../store/walk-roots.ts'
import { decodePosition, encodePosition } from './cursor.ts'
import { tagOf } from './etag.ts'
import { KeptRoots } from './kept-roots.ts'
import { listPieces } from './list-pieces.ts'
import { makePieces, type Piece, WHOLE_ROOT } from './pieces.ts'
import { CLOSE_ROOT, openRoot } from './render.ts'
import { RootBytes } from './root-bytes.ts'
import { findRootPage, placeOf, type RootPage } from './root-pages.ts'
import { type IsGone, type Sought, walkMatching } from './search.ts'

/** An answer whose headers are known. */
export interface Answer {
  /** Undefined where no revision tells what changes: then it is not to be kept. */
  readonly etag?: string | undefined
  /** Where the next page begins, if this is a page and not the last. */
  readonly nextCursor?: string | undefined
  /** The whole body, where it is at hand. */
  readonly whole?: Buffer | undefined
  /** The body, made piece by piece. An error on the way means that the answer must not be finished. */
  body(): AsyncGenerator<Piece>
}

export interface Asked {
  readonly now: number
  /** How the client reaches the service; addresses begin with it. */
  readonly origin: string
}

/** For what may take long: it is done in turns, and no longer than someone waits for it. */
export interface AskedForMuch extends Asked {
  readonly inTurn: InTurn
  readonly isGone: IsGone
}

/** The read path: rows → signed → bytes. */
export class Results {
  readonly #store: Store
  readonly #images: Images
  readonly #kept: KeptRoots
  readonly #keptBytes: number

  /** `keptBytes`: how much may be kept of what was rendered. */
  constructor(store: Store, images: Images, keptBytes: number) {
    this.#store = store
    this.#images = images
    this.#keptBytes = keptBytes
    this.#kept = new KeptRoots(keptBytes)
  }

  /** One root. Throws `not_found` alike for what is malformed, unknown or another project's. */
  async getRoot(projectText: string, rootText: string, asked: Asked): Promise<Answer> {
    const projectId = parseId(projectText)
    const rootId = parseId(rootText)
    const head = projectId && rootId ? await this.#store.findRoot(projectId, rootId) : undefined
    if (!projectId || !head) throw new AppError('not_found')
    const addresses = this.#images.addresses(asked)
    const roots = this.#roots(projectId, addresses instanceof Promise ? await addresses : addresses)
    return {
      etag: roots.etag(head.revision),
      whole: head.jobCount > WHOLE_ROOT ? undefined : roots.kept(head),
      body: () => makePieces(this.#store, roots, [{ heads: [head], last: true }], { list: false }),
    }
  }

  /** One root with a page of its jobs. Throws `not_found` as above, and `bad_request` for a bad cursor. */
  async getRootPage(
    projectText: string,
    rootText: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
    asked: AskedForMuch,
  ): Promise<Answer> {
    const from = cursor === undefined ? 0 : decodePosition(cursor)
    const projectId = parseId(projectText)
    const rootId = parseId(rootText)
    const head = projectId && rootId ? await this.#store.findRoot(projectId, rootId) : undefined
    if (!projectId || !head) throw new AppError('not_found')
    const roots = this.#roots(projectId, await this.#images.addresses(asked))
    const page = { from, limit: limit + 1 }
    const jobs = await asked.inTurn(() => this.#store.pageTexts(projectId, head.rootId, page))
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

  /** All roots of a project, or one page of them. Throws `not_found`, and `bad_request` for a bad cursor. */
  async listRoots(
    projectText: string,
    { page, sought }: { page: RootPage | undefined; sought: Sought | undefined },
    asked: AskedForMuch,
  ): Promise<Answer> {
    const after = page && placeOf(page)
    const projectId = parseId(projectText)
    const project = projectId && (await this.#store.findProject(projectId))
    if (!project) throw new AppError('not_found')
    const roots = this.#roots(projectId, await this.#images.addresses(asked))
    const etag = roots.etag(project.revision)
    if (page === undefined) {
      const all = () =>
        sought
          ? walkMatching(this.#store, projectId, sought, asked.isGone)
          : walkRoots(this.#store, projectId)
      return { etag, body: () => makePieces(this.#store, roots, all(), { list: true }) }
    }
    const { heads, nextCursor } = await findRootPage(this.#store, projectId, {
      ...asked,
      ...page,
      after,
      sought,
    })
    return {
      etag,
      nextCursor,
      body: () => makePieces(this.#store, roots, [{ heads, last: true }], { list: true }),
    }
  }

  #roots(projectId: string, addresses: Addresses): RootBytes {
    return new RootBytes(projectId, addresses, tagOf(addresses), this.#kept, this.#keptBytes / 2)
  }
}
