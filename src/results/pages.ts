import type { KnownProject } from '../access/door.ts'
import { COUNTED_PICTURES } from '../contract/browsing.ts'
import type { View } from '../contract/capture-options.ts'
import { isPlain } from '../contract/check.ts'
import { parseId } from '../contract/ids.ts'
import type { Addresses, Images } from '../images/images.ts'
import type { LookedPage, ShownJob } from '../store/browsing.ts'
import { badCursor, type ListPage } from '../store/cursor.ts'
import type { Store } from '../store/store.ts'
import type { Answer, AskedForMuch } from './answer.ts'
import { listPieces, type Piece } from './pieces.ts'
import { renderShown, resultEtag, SHOWING, tagOf } from './render.ts'

/** Addresses and screenshots that are read for one list page. After that, the list page is answered even if it is not full. */
const MOST_PAGES_LOOKED_AT = 10_000
const MOST_JOBS_LOOKED_AT = 5_000
/** The same for one turn. */
const PAGES_AT_ONCE = 500
const JOBS_AT_ONCE = 200

const NONE = { jobs: [], last: undefined }

export type Pages = ReturnType<typeof createPages>

/** The results of a project, by the addresses of pages. */
export function createPages(store: Store, images: Images) {
  /** A cursor is the id of a job: an address may be too long for a header. */
  const jobOf = async (projectId: string, cursor: string): Promise<ShownJob> => {
    const uuid = parseId(cursor)
    const job = uuid === cursor ? await store.browsing.findJob(projectId, uuid) : undefined
    if (!job) throw badCursor()
    return job
  }

  async function* summaries(
    projectId: string,
    pages: readonly ShownJob[],
    addresses: Addresses,
  ): AsyncGenerator<Piece> {
    const urls = pages.map(({ url }) => url)
    const counts = await store.browsing.countPictures(projectId, urls, COUNTED_PICTURES)
    const render = ([index, latest]: [number, ShownJob]) => {
      const { pictures = 1, oldest = latest.created } = counts[index] ?? {}
      const { url, name, created: newest } = latest
      const start = JSON.stringify({ url, name, pictures, oldest, newest })
      return `${start.slice(0, -1)},"latest":${renderJob(projectId, latest, addresses)}}`
    }
    yield* listPieces([...pages.entries()], render)
  }

  return {
    /** A list page of addresses, with their screenshots in numbers. Throws `bad_request` for a bad cursor. */
    async list(
      project: KnownProject,
      { limit, cursor, q: text }: ListPage & { q: string | undefined },
      asked: AskedForMuch,
    ): Promise<Answer> {
      const { projectId } = project
      const start = cursor === undefined ? undefined : (await jobOf(projectId, cursor)).url
      const addresses = await images.addresses(asked)
      const q = text || undefined
      const search: Search<LookedPage> = {
        ...{ limit, isWhole: q === undefined, atOnce: PAGES_AT_ONCE, most: MOST_PAGES_LOOKED_AT },
        read: (last, most) =>
          store.browsing.nextPages(projectId, { after: last?.url ?? start, limit: most, q }),
        look: ({ uuid, latest }) => ({ uuid, job: latest }),
      }
      const { jobs, last } = isPlain(q ?? '') ? await findJobs(search, asked) : NONE
      return {
        etag: shownEtag(project, addresses),
        nextCursor: last,
        body: () => summaries(projectId, jobs, addresses),
      }
    },

    /** The screenshots of an address, newest first. Throws as above. */
    async history(
      project: KnownProject,
      { url, limit, cursor, ...filter }: ListPage & ViewFilter & { url: string },
      asked: AskedForMuch,
    ): Promise<Answer> {
      const { projectId } = project
      const start = cursor === undefined ? undefined : await jobOf(projectId, cursor)
      if (start && start.url !== url) throw badCursor()
      const addresses = await images.addresses(asked)
      const isWhole = Object.values(filter).every((value) => value === undefined)
      const search: Search<ShownJob> = {
        ...{ limit, isWhole, atOnce: JOBS_AT_ONCE, most: MOST_JOBS_LOOKED_AT },
        read(last, most) {
          const before = last ?? start
          const after = before && { created: before.created, ...before.text }
          return store.browsing.pageHistory(projectId, url, { after, limit: most })
        },
        look: (job) => ({ uuid: job.text.uuid, job: isOf(filter, job) ? job : undefined }),
      }
      const { jobs, last } = isPlain(url) ? await findJobs(search, asked) : NONE
      return {
        etag: shownEtag(project, addresses),
        nextCursor: last,
        body: () => listPieces(jobs, (job) => renderJob(projectId, job, addresses)),
      }
    },
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

/** Which jobs a list page has: those of the items that `look` looks at. */
interface Search<Item> {
  readonly limit: number
  /** Every item has a job for the list page, or nearly so. */
  readonly isWhole: boolean
  /** Items that are read in one turn otherwise, and that are looked at for one list page. */
  readonly atOnce: number
  readonly most: number
  read(after: Item | undefined, limit: number): Promise<readonly Item[]>
  /** `uuid`: of any job, for a cursor. */
  look(item: Item): { readonly uuid: string | undefined; readonly job: ShownJob | undefined }
}

/** `last`: the next list page begins after it, if there may be one. */
async function findJobs<Item>(
  { limit, isWhole, atOnce, most, read, look }: Search<Item>,
  { isGone, inTurn }: AskedForMuch,
): Promise<{ jobs: ShownJob[]; last: string | undefined }> {
  const jobs: ShownJob[] = []
  let last: string | undefined
  let after: Item | undefined
  for (let lookedAt = 0; ; ) {
    if (isGone()) return { jobs: [], last: undefined }
    const wanted = isWhole ? limit + 1 - jobs.length : atOnce
    const some = await inTurn(() => read(after, wanted))
    for (const item of some) {
      const { uuid, job } = look(item)
      if (job) jobs.push(job)
      if (jobs.length > limit) return { jobs: jobs.slice(0, limit), last: jobs[limit - 1]?.text.uuid }
      last = uuid ?? last
    }
    lookedAt += some.length
    if (some.length < wanted) return { jobs, last: undefined }
    if (lookedAt >= most && last !== undefined) return { jobs, last }
    after = some.at(-1)
  }
}

/** Imported screenshots have no options. */
function isOf(filter: ViewFilter, { view }: ShownJob): boolean {
  return Object.entries(filter).every(
    ([option, value]) => value === undefined || view?.[option as keyof View] === value,
  )
}
