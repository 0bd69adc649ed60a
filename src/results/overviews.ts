import type { KnownProject, KnownRoot } from '../access/door.ts'
import { OVERVIEW_JOBS } from '../contract/browsing.ts'
import { type OwnOptions, viewOf } from '../contract/capture-options.ts'
import { optionsOfPage } from '../contract/options-of-page.ts'
import { type ExplainTo, tellFailure } from '../contract/status.ts'
import type { Images } from '../images/images.ts'
import type { RootHead, Store } from '../store/store.ts'
import type { Answer, Asked, AskedForMuch } from './answer.ts'
import { listPieces, NOTHING_YET, type Piece } from './pieces.ts'
import { CLOSE_ROOT, renderShown } from './render.ts'
import { findRootListPage, type RootListPage } from './root-list-pages.ts'
import { countsOf, type IsGone, idOf, type Sought, searchedTogether, stateOfRoot } from './search.ts'

export type Overviews = ReturnType<typeof createOverviews>

/** Roots at a glance. They have no ETag: the state of a root can change without a new revision. */
export function createOverviews(store: Store, images: Images, explainTo: ExplainTo) {
  async function* body(
    projectId: string,
    heads: readonly RootHead[],
    q: string | undefined,
    asked: Asked & { isGone?: IsGone },
    around?: { open: string; close: string },
  ): AsyncGenerator<Piece> {
    const { browsing } = store
    const first = { q, isGone: asked.isGone }
    // Counts are read before jobs and failures, so that everything that is counted can be shown.
    const requests = await browsing.requestsOf(projectId, heads.map(idOf))
    const jobs = yield* firstOf((...some) => browsing.firstTexts(projectId, ...some), heads, first)
    const failed = heads.filter(({ rootId }) => (requests.get(rootId)?.counts.failed ?? 0) > 0)
    const failures = yield* firstOf((...some) => browsing.firstFailures(projectId, ...some), failed, first)
    const addresses = await images.addresses(asked)
    const isExplained = explainTo.has(projectId)
    const render = (head: RootHead) => {
      const { rootId, created } = head
      const request = requests.get(rootId)
      const { options, marks = {}, origin } = request ?? {}
      const viewOfPage = (own?: OwnOptions) => options && viewOf(optionsOfPage(options, own))
      const told = (failures.get(rootId) ?? []).map((failure) => ({
        ...failure,
        ...tellFailure(failure, failure.url, isExplained),
      }))
      const start = JSON.stringify({
        ...{ rootId, meta: { created }, state: stateOfRoot(head, request), ...origin },
        tags: options?.tags ?? [],
        ...{ counts: countsOf(head, request), marks, view: viewOfPage(), failures: told },
      })
      const shown = (jobs.get(rootId) ?? []).map((job) =>
        renderShown({ projectId, rootId, view: viewOfPage(job.ownOptions) }, job, addresses),
      )
      return `${start.slice(0, -1)},"jobs":[${shown.join(',')}${CLOSE_ROOT}`
    }
    yield* listPieces(heads, render, around)
  }

  return {
    get(root: KnownRoot, asked: Asked): Answer {
      return { body: () => body(root.projectId, [root], undefined, asked, { open: '', close: '' }) }
    },

    async list(
      { projectId }: KnownProject,
      page: RootListPage & { sought: Sought | undefined },
      asked: AskedForMuch,
    ): Promise<Answer> {
      const { heads, nextCursor } = await findRootListPage(store, projectId, { ...asked, ...page })
      const { q } = page.sought ?? {}
      return { nextCursor, body: () => body(projectId, heads, q, asked) }
    },
  }
}

/** The first jobs or failures of each root. A search for a text does a few roots in each step. */
async function* firstOf<T>(
  read: (rootIds: readonly string[], first: { limit: number; q?: string }) => Promise<Map<string, T[]>>,
  heads: readonly RootHead[],
  { q, isGone }: { q: string | undefined; isGone?: IsGone | undefined },
): AsyncGenerator<Piece, Map<string, T[]>> {
  const limit = OVERVIEW_JOBS
  if (heads.length === 0) return new Map()
  if (q === undefined) return await read(heads.map(idOf), { limit })
  const found: [string, T[]][] = []
  for (const slice of searchedTogether(heads, { q })) {
    if (isGone?.()) break
    found.push(...(await read(slice.map(idOf), { limit, q })))
    yield NOTHING_YET
  }
  return new Map(found)
}
