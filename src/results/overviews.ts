import { setImmediate as nextTurn } from 'node:timers/promises'
import { OVERVIEW_JOBS } from '../contract/browsing.ts'
import { parseId } from '../contract/ids.ts'
import { type Counts, stateOf } from '../contract/status.ts'
import { AppError } from '../errors.ts'
import type { Addresses, Images } from '../images/images.ts'
import type { RequestSummary, RootFilter } from '../store/browsing.ts'
import type { JobText } from '../store/job-text.ts'
import type { RootHead, Store } from '../store/store.ts'
import { listPieces } from './list-pieces.ts'
import type { Piece } from './pieces.ts'
import { CLOSE_ROOT, renderJobs } from './render.ts'
import type { Answer, Asked } from './results.ts'
import { findRootPage, placeOf, type RootPage } from './root-pages.ts'
import { slicesOf } from './search.ts'

/** Roots at a glance. How far a root is changes without a new revision, so that there is no ETag. */
export class Overviews {
  readonly #store: Store
  readonly #images: Images

  constructor(store: Store, images: Images) {
    this.#store = store
    this.#images = images
  }

  /** Throws `not_found` alike for what is malformed, unknown or another project's. */
  async get(projectText: string, rootText: string, asked: Asked): Promise<Answer> {
    const projectId = parseId(projectText)
    const rootId = parseId(rootText)
    const head = projectId && rootId ? await this.#store.findRoot(projectId, rootId) : undefined
    if (!projectId || !head) throw new AppError('not_found')
    return { body: () => this.#body(projectId, [head], undefined, asked, { open: '', close: '' }) }
  }

  /** One page. Throws `not_found`, and `bad_request` for a bad cursor. */
  async list(
    projectText: string,
    page: RootPage & { filter: RootFilter | undefined },
    asked: Asked,
  ): Promise<Answer> {
    const after = placeOf(page)
    const projectId = parseId(projectText)
    const project = projectId && (await this.#store.findProject(projectId))
    if (!project) throw new AppError('not_found')
    const { heads, nextCursor } = await findRootPage(this.#store, projectId, { ...asked, ...page, after })
    const { q } = page.filter ?? {}
    return { nextCursor, body: () => this.#body(projectId, heads, q, asked) }
  }

  async #jobs(
    projectId: string,
    heads: readonly RootHead[],
    q: string | undefined,
    { isGone }: Asked,
  ): Promise<Map<string, JobText[]>> {
    const { browsing } = this.#store
    const limit = OVERVIEW_JOBS
    if (q === undefined) return await browsing.firstTexts(projectId, heads.map(idOf), { limit })
    const found: [string, JobText[]][] = []
    for (const slice of slicesOf(heads)) {
      if (isGone?.()) break
      found.push(...(await browsing.firstTexts(projectId, slice.map(idOf), { limit, q })))
      await nextTurn()
    }
    return new Map(found)
  }

  async *#body(
    projectId: string,
    heads: readonly RootHead[],
    q: string | undefined,
    asked: Asked,
    around?: { open: string; close: string },
  ): AsyncGenerator<Piece> {
    // In this order: what is said to be done is there to be shown.
    const requests = await this.#store.browsing.requestsOf(projectId, heads.map(idOf))
    const jobs = await this.#jobs(projectId, heads, q, asked)
    const addresses = await this.#images.addresses(asked)
    const render = (head: RootHead) =>
      renderOverview(projectId, head, requests.get(head.rootId), jobs.get(head.rootId) ?? [], addresses)
    yield* listPieces(heads, render, around)
  }
}

function idOf({ rootId }: RootHead): string {
  return rootId
}

function renderOverview(
  projectId: string,
  { rootId, created, jobCount }: RootHead,
  request: RequestSummary | undefined,
  jobs: readonly JobText[],
  addresses: Addresses,
): string {
  const { tags, counts } = request ?? { tags: [], counts: countImported(jobCount) }
  const start = JSON.stringify({ rootId, meta: { created }, state: stateOf(counts), tags, counts })
  return `${start.slice(0, -1)},"jobs":[${renderJobs({ projectId, rootId }, jobs, addresses)}${CLOSE_ROOT}`
}

/** A root that was imported came with all its results. */
function countImported(total: number): Counts {
  return { total, queued: 0, running: 0, done: total, failed: 0 }
}
