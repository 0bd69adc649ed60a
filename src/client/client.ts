import type { JobOverview, PageSummary, Project, RootOverview } from '../contract/browsing.ts'
import {
  archivePath,
  eventsPath,
  historyPath,
  overviewsPath,
  pagesPath,
  picturePath,
  projectPath,
  projectsPath,
  readinessPath,
  rootOverviewPath,
  rootPath,
  rootsPath,
  statusPath,
} from '../contract/paths.ts'
import type { Readiness } from '../contract/readiness.ts'
import type { JobResult, RootResult } from '../contract/results.ts'
import type { ScreenshotRequest } from '../contract/screenshot-request.ts'
import type { Mark } from '../contract/seen.ts'
import type { RootState } from '../contract/states.ts'
import type { RootStatus } from '../contract/status.ts'
import { NoAnswerError } from './no-answer-error.ts'
import { followPages, toQuery } from './pages.ts'
import { pause } from './pause.ts'
import { type WatchOptions, watchStatus } from './watch-status.ts'
import { createWire } from './wire.ts'

export type {
  JobOverview,
  MarkCounts,
  PageFailure,
  PageSummary,
  Project,
  RootOverview,
} from '../contract/browsing.ts'
export type { View } from '../contract/capture-options.ts'
export type { ProblemCode } from '../contract/problem.ts'
export type { Readiness } from '../contract/readiness.ts'
export type { JobResult, RootResult } from '../contract/results.ts'
export type { ScreenshotRequest } from '../contract/screenshot-request.ts'
export type { Mark, Seen } from '../contract/seen.ts'
export { type CaptureState, isFinal, type RootState } from '../contract/states.ts'
export type { CaptureReason, Counts, PageStatus, RootStatus } from '../contract/status.ts'
export { NoAnswerError } from './no-answer-error.ts'
export { ProblemError, type ProblemErrorCode } from './problem-error.ts'
export type { WatchOptions } from './watch-status.ts'

export interface ClientOptions {
  /** Where the service is: `https://shots.example.com`. Empty in a browser: where the page came from. */
  readonly server: string
  /** Sent as `Authorization`, to this server and nowhere else. */
  readonly key?: string | undefined
  readonly fetch?: typeof fetch | undefined
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ListOptions extends AskOptions {
  /** Most that one page holds. */
  readonly limit?: number | undefined
}

export interface SearchOptions extends ListOptions {
  /** Only what has a page whose name or address holds this text. */
  readonly q?: string | undefined
}

export interface RootsOptions extends SearchOptions {
  /** Only those with this tag. */
  readonly tag?: string | undefined
}

export interface OverviewsOptions extends RootsOptions {
  /** Only those in this state, or in one of these. */
  readonly state?: RootState | readonly RootState[] | undefined
  /** Only those with a page that has this mark. */
  readonly mark?: Mark | undefined
  /** Only those created at this instant or later. Unix milliseconds. */
  readonly from?: number | undefined
  /** Only those created before this instant. Unix milliseconds. */
  readonly to?: number | undefined
}

export interface HistoryOptions extends ListOptions {
  /** Only whole pages, or only what the window shows. */
  readonly fullPage?: boolean | undefined
  /** Only those asked for with a window of this width. */
  readonly width?: number | undefined
}

export interface StatusOptions extends AskOptions {
  /** Seconds to wait for the root to be finished. */
  readonly wait?: number | undefined
}

export interface RequestOptions extends AskOptions {
  /** A repeat with the same one is not done again. Without it one is made. */
  readonly idempotencyKey?: string | undefined
}

/** Page after page, each asked for when it is wanted. One may be empty, and others follow. */
export type Pages<T> = AsyncGenerator<T[], void, undefined>

/**
 * Every call throws a `ProblemError` where the server refuses or fails, a `NoAnswerError` where no answer comes, and
 * what its signal was aborted with.
 */
export interface Client {
  /** Whether the service can answer, and capture. Needs no key. */
  getReadiness(options?: AskOptions): Promise<Readiness>
  listProjects(options?: ListOptions): Pages<Project>
  getProject(projectId: string, options?: AskOptions): Promise<Project>
  /** Newest first. Without a `limit`: one page with all of them. */
  listRoots(projectId: string, options?: RootsOptions): Pages<RootResult>
  listOverviews(projectId: string, options?: OverviewsOptions): Pages<RootOverview>
  getRoot(projectId: string, rootId: string, options?: AskOptions): Promise<RootResult>
  getRootOverview(projectId: string, rootId: string, options?: AskOptions): Promise<RootOverview>
  /** The finished jobs of a root. Without a `limit`: one page with all of them. */
  listJobs(projectId: string, rootId: string, options?: ListOptions): Pages<JobResult>
  getStatus(projectId: string, rootId: string, options?: StatusOptions): Promise<RootStatus>
  /**
   * The status, whenever it changes: always the whole of it. Goes on where a connection breaks off; ends when the root
   * is finished or the signal is aborted.
   */
  watchStatus(
    projectId: string,
    rootId: string,
    options?: WatchOptions,
  ): AsyncGenerator<RootStatus, void, undefined>
  /** Where no answer comes it asks once more, and what was accepted already is not accepted twice. */
  requestScreenshots(
    projectId: string,
    request: ScreenshotRequest,
    options?: RequestOptions,
  ): Promise<{ jobId: string }>
  /** The addresses that were captured. */
  listPages(projectId: string, options?: SearchOptions): Pages<PageSummary>
  /** The screenshots of one address, newest first: all of them, or those that were asked for alike. */
  listHistory(projectId: string, url: string, options?: HistoryOptions): Pages<JobOverview>
  /** A PNG. */
  fetchPicture(projectId: string, rootId: string, uuid: string, options?: AskOptions): Promise<Response>
  /** All pictures of a root, as a zip. */
  fetchArchive(projectId: string, rootId: string, options?: AskOptions): Promise<Response>
  /** For a link, where no key is asked. */
  pictureAddress(projectId: string, rootId: string, uuid: string): string
  archiveAddress(projectId: string, rootId: string): string
}

/** Before a request for screenshots is repeated. */
const REPEAT_MS = 300

export function createClient(options: ClientOptions): Client {
  const wire = createWire(options)
  const fetchFrom = (path: string, { signal }: AskOptions = {}) => wire.ask(path, { signal })
  const get = async <T>(path: string, options: AskOptions = {}): Promise<T> =>
    await wire.read<T>(await fetchFrom(path, options), options.signal)

  return {
    getReadiness: (options) => get(readinessPath, options),
    listProjects: (options = {}) => followPages(wire, projectsPath, options),
    getProject: (project, options) => get(projectPath(id(project)), options),
    listRoots: (project, options = {}) => followPages(wire, rootsPath(id(project)), options),
    listOverviews: (project, options = {}) => followPages(wire, overviewsPath(id(project)), options),
    getRoot: (project, root, options) => get(rootPath(id(project), id(root)), options),
    getRootOverview: (project, root, options) => get(rootOverviewPath(id(project), id(root)), options),
    async *listJobs(project, root, options = {}) {
      const pages = followPages<RootResult>(wire, rootPath(id(project), id(root)), options)
      for await (const { jobs } of pages) yield jobs
    },
    getStatus: (project, root, { wait, ...options } = {}) =>
      get(statusPath(id(project), id(root)) + toQuery({ wait }), options),
    watchStatus(project, root, options = {}) {
      const [events, status] = [eventsPath(id(project), id(root)), statusPath(id(project), id(root))]
      return watchStatus(wire, { events, status }, options)
    },
    async requestScreenshots(project, request, { idempotencyKey = randomText(), signal } = {}) {
      const ask = async () => {
        const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
        const asked = { method: 'POST', headers, body: JSON.stringify(request), signal }
        const response = await wire.ask(projectPath(id(project)), asked)
        return await wire.read<{ jobId: string }>(response, signal)
      }
      return await ask().catch(async (error) => {
        if (!(error instanceof NoAnswerError)) throw error
        await pause(REPEAT_MS, signal)
        return await ask()
      })
    },
    listPages: (project, options = {}) => followPages(wire, pagesPath(id(project)), options),
    listHistory: (project, url, options = {}) =>
      followPages(wire, historyPath(id(project)), { url, ...options }),
    fetchPicture: (project, root, uuid, options) =>
      fetchFrom(picturePath(id(project), id(root), id(uuid)), options),
    fetchArchive: (project, root, options) => fetchFrom(archivePath(id(project), id(root)), options),
    pictureAddress: (project, root, uuid) => wire.server + picturePath(id(project), id(root), id(uuid)),
    archiveAddress: (project, root) => wire.server + archivePath(id(project), id(root)),
  }
}

/** One step of a path, whatever it holds. Dots alone would lead elsewhere; `-` is no id either. */
function id(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/^\.\.?$/, '-')
}

/** Not `randomUUID`, which browsers have over https only. */
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(36)).join('-')
}
