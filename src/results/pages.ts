import type { KnownProject } from '../access/door.ts'
import { COUNTED_PICTURES } from '../contract/browsing.ts'
import type { View } from '../contract/capture-options.ts'
import { isPlain } from '../contract/check.ts'
import { parseId } from '../contract/ids.ts'
import type { Addresses, Images } from '../images/images.ts'
import type { LookedPage, ShownJob } from '../store/browsing.ts'
import type { Store } from '../store/store.ts'
import type { Answer, AskedForMuch } from './answer.ts'
import { badCursor } from './cursor.ts'
import { resultEtag, tagOf } from './etag.ts'
import { listPieces } from './list-pieces.ts'
import type { Piece } from './pieces.ts'
import { renderShown, SHOWING } from './render.ts'

/** Addresses that are read for one list page. After that, the list page is answered even if it is not full. */
const MOST_LOOKED_AT = 10_000
const AT_ONCE = 500
/** Screenshots that are read for one list page that is filtered. After that, the list page is answered even if it is not full. */
const MOST_JOBS_LOOKED_AT = 5_000
/** Screenshots read in one turn. */
const JOBS_AT_ONCE = 200

interface ListPage {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The results of a project, by the addresses of pages. */
export class Pages {
  readonly #store: Store
  readonly #images: Images

  constructor(store: Store, images: Images) {
    this.#store = store
    this.#images = images
  }

  /** A list page of addresses, with their screenshots in numbers. Throws `bad_request` for a bad cursor. */
  async list(
    project: KnownProject,
    { limit, cursor, q }: ListPage & { q: string | undefined },
    asked: AskedForMuch,
  ): Promise<Answer> {
    const { projectId } = project
    const after = cursor === undefined ? undefined : (await this.#jobOf(projectId, cursor)).url
    const addresses = await this.#images.addresses(asked)
    const { pages, last } = await this.#find(projectId, { after, limit, q: q || undefined }, asked)
    return {
      etag: shownEtag(project, addresses),
      nextCursor: last,
      body: () => this.#summaries(projectId, pages, addresses),
    }
  }

  /** The screenshots of an address, newest first. Throws as above. */
  async history(
    project: KnownProject,
    { url, limit, cursor, ...filter }: ListPage & ViewFilter & { url: string },
    asked: AskedForMuch,
  ): Promise<Answer> {
    const { projectId } = project
    const after = cursor === undefined ? undefined : await this.#jobOf(projectId, cursor)
    if (after && after.url !== url) throw badCursor()
    const addresses = await this.#images.addresses(asked)
    const page = { after, limit, filter }
    const { jobs, last } = isPlain(url)
      ? await findHistory(this.#store, projectId, url, page, asked)
      : { jobs: [], last: undefined }
    return {
      etag: shownEtag(project, addresses),
      nextCursor: last,
      body: () => listPieces(jobs, (job) => renderJob(projectId, job, addresses)),
    }
  }

  /** A cursor is the id of a job: an address may be too long for a header. */
  async #jobOf(projectId: string, cursor: string): Promise<ShownJob> {
    const uuid = parseId(cursor)
    const job = uuid === cursor ? await this.#store.browsing.findJob(projectId, uuid) : undefined
    if (!job) throw badCursor()
    return job
  }

  /** `last`: the next list page begins after it, if there may be one. */
  async #find(
    projectId: string,
    { after, limit, q }: { after: string | undefined; limit: number; q: string | undefined },
    { isGone, inTurn }: AskedForMuch,
  ): Promise<{ pages: ShownJob[]; last: string | undefined }> {
    if (!isPlain(q ?? '')) return { pages: [], last: undefined }
    const found: ShownJob[] = []
    let last: string | undefined
    let from = after
    for (let lookedAt = 0; ; ) {
      if (isGone()) return { pages: [], last: undefined }
      const wanted = q === undefined ? limit + 1 - found.length : AT_ONCE
      const next = { after: from, limit: wanted, q }
      const some: LookedPage[] = await inTurn(() => this.#store.browsing.nextPages(projectId, next))
      for (const { uuid, latest } of some) {
        if (latest) found.push(latest)
        if (found.length > limit) return { pages: found.slice(0, limit), last: found[limit - 1]?.text.uuid }
        last = uuid ?? last
      }
      lookedAt += some.length
      if (some.length < wanted) return { pages: found, last: undefined }
      // The cursor needs a job.
      if (lookedAt >= MOST_LOOKED_AT && last !== undefined) return { pages: found, last }
      from = some.at(-1)?.url
    }
  }

  async *#summaries(
    projectId: string,
    pages: readonly ShownJob[],
    addresses: Addresses,
  ): AsyncGenerator<Piece> {
    const urls = pages.map(({ url }) => url)
    const counts = await this.#store.browsing.countPictures(projectId, urls, COUNTED_PICTURES)
    const render = ([index, latest]: [number, ShownJob]) => {
      const { pictures = 1, oldest = latest.created } = counts[index] ?? {}
      const { url, name, created: newest } = latest
      const start = JSON.stringify({ url, name, pictures, oldest, newest })
      return `${start.slice(0, -1)},"latest":${renderJob(projectId, latest, addresses)}}`
    }
    yield* listPieces([...pages.entries()], render)
  }
}

function shownEtag({ revision }: KnownProject, addresses: Addresses): string {
  return resultEtag(revision, `${tagOf(addresses)}.${SHOWING}`)
}

function renderJob(projectId: string, { rootId, view, text }: ShownJob, addresses: Addresses): string {
  return renderShown({ projectId, rootId, view }, text, addresses)
}

/** Selects the screenshots of a page by their options. An undefined option matches all. */
type ViewFilter = { readonly [Option in keyof View]?: View[Option] | undefined }

/** One list page of the history of an address. `last`: the next list page begins after it, if there may be one. */
async function findHistory(
  { browsing }: Pick<Store, 'browsing'>,
  projectId: string,
  url: string,
  page: { after: ShownJob | undefined; limit: number; filter: ViewFilter },
  { isGone, inTurn }: AskedForMuch,
): Promise<{ jobs: ShownJob[]; last: string | undefined }> {
  const { limit, filter } = page
  const isWhole = Object.values(filter).every((value) => value === undefined)
  const atOnce = isWhole ? limit + 1 : JOBS_AT_ONCE
  const found: ShownJob[] = []
  let after = page.after
  for (let lookedAt = 0; ; ) {
    if (isGone()) return { jobs: [], last: undefined }
    const from = after && { created: after.created, ...after.text }
    const some = await inTurn(() => browsing.pageHistory(projectId, url, { after: from, limit: atOnce }))
    found.push(...some.filter((job) => isOf(filter, job)))
    if (found.length > limit) return { jobs: found.slice(0, limit), last: found[limit - 1]?.text.uuid }
    lookedAt += some.length
    after = some.at(-1)
    if (some.length < atOnce) return { jobs: found, last: undefined }
    if (lookedAt >= MOST_JOBS_LOOKED_AT) return { jobs: found, last: after?.text.uuid }
  }
}

/** Imported screenshots have no options. */
function isOf(filter: ViewFilter, { view }: ShownJob): boolean {
  return Object.entries(filter).every(
    ([option, value]) => value === undefined || view?.[option as keyof View] === value,
  )
}
