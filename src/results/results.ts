import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import type { Addresses, Images } from '../images/images.ts'
import type { Job, RootHead, Store } from '../store/store.ts'
import { walkRoots } from '../store/walk-roots.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { CLOSE_ROOT, openRoot, RENDERING, renderJob } from './render.ts'

/** Jobs read and rendered without letting other requests in: about a millisecond, and all that an answer holds. */
const JOBS_AT_ONCE = 50
/** A root up to this is read at one instant: as many as one request for screenshots may ask for. */
const WHOLE_ROOT = 100

/** An answer whose headers are known and whose body has not been made yet. */
export interface Answer {
  readonly etag: string
  /** Where the next page begins, if this is a page and not the last. */
  readonly nextCursor: string | undefined
  /** Pieces of JSON. An error on the way means that the answer must not be finished. */
  body(): AsyncGenerator<string>
}

export interface Asked {
  readonly now: number
  /** How the client reaches the service; addresses begin with it. */
  readonly origin: string
}

/** The read path: rows → signed → text. */
export class Results {
  readonly #store: Store
  readonly #images: Images

  constructor(store: Store, images: Images) {
    this.#store = store
    this.#images = images
  }

  /** One root. Throws `not_found` alike for what is malformed, unknown or another project's. */
  async getRoot(projectText: string, rootText: string, asked: Asked): Promise<Answer> {
    const projectId = parseId(projectText)
    const rootId = parseId(rootText)
    const head = projectId && rootId ? await this.#store.findRoot(projectId, rootId) : undefined
    if (!projectId || !head) throw new AppError('not_found')
    const addresses = await this.#images.addresses(asked)
    return {
      etag: etagOf(head.revision, addresses),
      nextCursor: undefined,
      body: () => this.#renderRoots(projectId, [head], addresses),
    }
  }

  /** All roots of a project, or one page of them. Throws `not_found`, and `bad_request` for a bad cursor. */
  async listRoots(
    projectText: string,
    page: { limit: number; cursor?: string | undefined } | undefined,
    asked: Asked,
  ): Promise<Answer> {
    const after = page?.cursor === undefined ? undefined : decodeCursor(page.cursor)
    const projectId = parseId(projectText)
    const project = projectId && (await this.#store.findProject(projectId))
    if (!project) throw new AppError('not_found')
    const addresses = await this.#images.addresses(asked)
    const etag = etagOf(project.revision, addresses)
    if (page === undefined) {
      return {
        etag,
        nextCursor: undefined,
        body: () => this.#renderList(walkRoots(this.#store, projectId), projectId, addresses),
      }
    }
    const heads = await this.#store.pageRoots(projectId, { after, limit: page.limit + 1 })
    const shown = heads.slice(0, page.limit)
    const last = heads.length > page.limit ? shown.at(-1) : undefined
    return {
      etag,
      nextCursor: last && encodeCursor(last),
      body: () => this.#renderList([shown], projectId, addresses),
    }
  }

  async *#renderList(
    pages: AsyncIterable<RootHead[]> | Iterable<RootHead[]>,
    projectId: string,
    addresses: Addresses,
  ): AsyncGenerator<string> {
    let before = '['
    for await (const heads of pages) {
      for await (const piece of this.#renderRoots(projectId, heads, addresses)) {
        yield before + piece
        before = ''
      }
      if (before === '') before = ','
      await nextTurn()
    }
    yield before === '[' ? '[]' : ']'
  }

  /** Roots with commas between them. */
  async *#renderRoots(projectId: string, heads: RootHead[], addresses: Addresses): AsyncGenerator<string> {
    let comma = ''
    for (const group of groupByJobs(heads)) {
      if (comma) await nextTurn()
      const [first] = group
      if (first && first.jobCount > WHOLE_ROOT)
        yield* this.#renderLargeRoot(projectId, first, addresses, comma)
      else yield comma + (await this.#renderSmallRoots(projectId, group, addresses))
      comma = ','
    }
  }

  /** The jobs of these are read in one query: such a root is never half old, half new. */
  async #renderSmallRoots(projectId: string, heads: RootHead[], addresses: Addresses): Promise<string> {
    const rootIds = heads.map((head) => head.rootId)
    const jobsByRoot = Map.groupBy(await this.#store.jobsOf(projectId, rootIds), (job) => job.rootId)
    return heads
      .map((head) => {
        const jobs = jobsByRoot.get(head.rootId) ?? []
        return openRoot(head) + renderJobs(projectId, jobs, addresses) + CLOSE_ROOT
      })
      .join(',')
  }

  /** Only an import makes a root this large, and nothing is added to it afterwards: it can be read in parts. */
  async *#renderLargeRoot(
    projectId: string,
    head: RootHead,
    addresses: Addresses,
    comma: string,
  ): AsyncGenerator<string> {
    let before = comma + openRoot(head)
    let from = 0
    for (;;) {
      const jobs = await this.#store.pageJobs(projectId, head.rootId, { from, limit: JOBS_AT_ONCE })
      if (jobs.length > 0) yield before + renderJobs(projectId, jobs, addresses)
      if (jobs.length < JOBS_AT_ONCE) break
      before = ','
      from = (jobs.at(-1)?.position ?? 0) + 1
      await nextTurn()
    }
    yield CLOSE_ROOT
  }
}

function renderJobs(projectId: string, jobs: readonly Job[], addresses: Addresses): string {
  return jobs.map((job) => renderJob(projectId, job, addresses)).join(',')
}

/** Neighbouring roots whose jobs are read together; one that is larger than that goes alone. */
function groupByJobs(heads: readonly RootHead[]): RootHead[][] {
  const groups: RootHead[][] = []
  let room = 0
  for (const head of heads) {
    if (groups.length === 0 || head.jobCount > room) {
      groups.push([])
      room = JOBS_AT_ONCE
    }
    groups.at(-1)?.push(head)
    room -= head.jobCount
  }
  return groups
}

/** Weak, since a proxy may compress. Changes with the data and with the addresses, and so with every window. */
function etagOf(revision: string, addresses: Addresses): string {
  const hash = createHash('sha256').update(`${RENDERING}\n${revision}\n${addresses.tag}`).digest('base64url')
  return `W/"${hash.slice(0, 22)}"`
}
