import type { JobOverview, PageSummary, Project, RootOverview } from '../contract/browsing.ts'
import { paths } from '../contract/paths.ts'
import type { Readiness } from '../contract/readiness.ts'
import type { JobResult, RootResult } from '../contract/results.ts'
import type { ScreenshotRequest } from '../contract/screenshot-request.ts'
import type { Mark } from '../contract/seen.ts'
import type { RootState } from '../contract/states.ts'
import type { RootStatus } from '../contract/status.ts'
import { type AdministrationCalls, createAdministrationCalls } from './administration.ts'
import {
  type AskOptions,
  createAsking,
  type ListOptions,
  type ListPages,
  type RequestOptions,
} from './asking.ts'
import { toQuery } from './list-pages.ts'
import { createScheduleCalls, type ScheduleCalls } from './schedules.ts'
import { createTemplateCalls, type TemplateCalls } from './templates.ts'
import { type WatchOptions, watchStatus } from './watch-status.ts'
import { createWebhookCalls, type WebhookCalls } from './webhooks.ts'

export type {
  Key,
  KeyRequest,
  KeyScope,
  NewKey,
  ProjectRequest,
  Session,
  SignIn,
} from '../contract/access.ts'
export { type AskedAgain, askAgain, fillIn } from '../contract/ask-again.ts'
export type {
  JobOverview,
  MarkCounts,
  PageFailure,
  PageSummary,
  Project,
  RootOverview,
} from '../contract/browsing.ts'
export type { CaptureOptions, OwnOptions, View } from '../contract/capture-options.ts'
export type { ProblemCode } from '../contract/problem.ts'
export type { Readiness } from '../contract/readiness.ts'
export type { JobResult, RootResult } from '../contract/results.ts'
export type { Schedule, ScheduleRequest } from '../contract/schedules.ts'
export type { ScreenshotRequest } from '../contract/screenshot-request.ts'
export type { Mark, Note, Seen } from '../contract/seen.ts'
export { type CaptureState, isFinal, type RootState } from '../contract/states.ts'
export type { CaptureReason, Counts, PageStatus, RootStatus } from '../contract/status.ts'
export type { LastRoot, Template, TemplateRequest, TemplateRun } from '../contract/templates.ts'
export type {
  Delivery,
  DeliveryState,
  Webhook,
  WebhookEvent,
  WebhookFormat,
  WebhookRequest,
} from '../contract/webhooks.ts'
export type {
  AskOptions,
  ChangeOptions,
  ListOptions,
  ListPages,
  RequestOptions,
  Versioned,
} from './asking.ts'
export { NoAnswerError } from './patience.ts'
export { ProblemError, type ProblemErrorCode } from './problem-error.ts'
export type { WatchOptions } from './watch-status.ts'
export type { DeliveriesOptions } from './webhooks.ts'

export interface ClientOptions {
  /** The address of the service: `https://shots.example.com`. Empty in a browser: the server of the page. */
  readonly server: string
  /** Sent as `Authorization`, to this server only. */
  readonly key?: string | undefined
  readonly fetch?: typeof fetch | undefined
}

export interface SearchOptions extends ListOptions {
  /** Only those with a page whose name or address contains this text. */
  readonly q?: string | undefined
}

export interface RootsOptions extends SearchOptions {
  /** Only those with this tag. */
  readonly tag?: string | undefined
  /** Only those made from this template. */
  readonly template?: string | undefined
}

export interface OverviewsOptions extends RootsOptions {
  /** Only those in this state, or in one of these. */
  readonly state?: RootState | readonly RootState[] | undefined
  /** Only those with a page that has this mark. */
  readonly mark?: Mark | undefined
  /** Only those created at this time or later. Unix milliseconds. */
  readonly from?: number | undefined
  /** Only those created before this time. Unix milliseconds. */
  readonly to?: number | undefined
}

export interface HistoryOptions extends ListOptions {
  /** Only full pages (true), or only windows (false). */
  readonly fullPage?: boolean | undefined
  /** Only those captured in a window of this width. */
  readonly width?: number | undefined
}

export interface StatusOptions extends AskOptions {
  /** Seconds to wait for the root to be finished. */
  readonly wait?: number | undefined
}

/**
 * Every call throws a `ProblemError` if the server refuses or fails, a `NoAnswerError` if no answer comes, or the reason of
 * its signal.
 */
export interface Client extends TemplateCalls, ScheduleCalls, WebhookCalls, AdministrationCalls {
  /** Whether the service can answer, and capture. Needs no key. */
  getReadiness(options?: AskOptions): Promise<Readiness>
  listProjects(options?: ListOptions): ListPages<Project>
  getProject(projectId: string, options?: AskOptions): Promise<Project>
  /** Newest first. Without a `limit`, one list page has all of them. */
  listRoots(projectId: string, options?: RootsOptions): ListPages<RootResult>
  listOverviews(projectId: string, options?: OverviewsOptions): ListPages<RootOverview>
  getRoot(projectId: string, rootId: string, options?: AskOptions): Promise<RootResult>
  getRootOverview(projectId: string, rootId: string, options?: AskOptions): Promise<RootOverview>
  /** The jobs of a root. Without a `limit`, one list page has all of them. */
  listJobs(projectId: string, rootId: string, options?: ListOptions): ListPages<JobResult>
  getStatus(projectId: string, rootId: string, options?: StatusOptions): Promise<RootStatus>
  /**
   * Gives the whole status whenever it changes. Connects again if a connection breaks. Ends when the root is finished or
   * the signal is aborted.
   */
  watchStatus(
    projectId: string,
    rootId: string,
    options?: WatchOptions,
  ): AsyncGenerator<RootStatus, void, undefined>
  /** If no answer comes, it asks once more. The request is still accepted only once. */
  requestScreenshots(
    projectId: string,
    request: ScreenshotRequest,
    options?: RequestOptions,
  ): Promise<{ jobId: string }>
  /** The pages that were captured: every address once. */
  listPages(projectId: string, options?: SearchOptions): ListPages<PageSummary>
  /** The screenshots of one address, newest first: all, or those with the same options. */
  listHistory(projectId: string, url: string, options?: HistoryOptions): ListPages<JobOverview>
  /** A PNG. */
  fetchPicture(projectId: string, rootId: string, uuid: string, options?: AskOptions): Promise<Response>
  /** All pictures of a root, as a zip. */
  fetchArchive(projectId: string, rootId: string, options?: AskOptions): Promise<Response>
  /** Cancels a root whose time has not come. */
  cancelRoot(projectId: string, rootId: string, options?: AskOptions): Promise<void>

  /** The address of a plain link, for services that ask for no key. */
  pictureAddress(projectId: string, rootId: string, uuid: string): string
  archiveAddress(projectId: string, rootId: string): string
}

export function createClient(options: ClientOptions): Client {
  const asking = createAsking(options)
  const { wire, to, fetchFrom, get, list, write, request } = asking
  return {
    ...createTemplateCalls(asking),
    ...createScheduleCalls(asking),
    ...createWebhookCalls(asking),
    ...createAdministrationCalls(asking),
    getReadiness: (options) => get(paths.getReadiness, options),
    listProjects: (options = {}) => list(paths.listProjects, options),
    getProject: (project, options) => get(to(paths.getProject, project), options),
    listRoots: (project, options = {}) => list(to(paths.listRoots, project), options),
    listOverviews: (project, options = {}) => list(to(paths.listOverviews, project), options),
    getRoot: (project, root, options) => get(to(paths.getRoot, project, root), options),
    getRootOverview: (project, root, options) => get(to(paths.getRootOverview, project, root), options),
    async *listJobs(project, root, options = {}) {
      const pages = list<RootResult>(to(paths.getRoot, project, root), options)
      for await (const { jobs } of pages) yield jobs
    },
    getStatus: (project, root, { wait, ...options } = {}) =>
      get(to(paths.getStatus, project, root) + toQuery({ wait }), options),
    watchStatus(project, root, options = {}) {
      const [events, status] = [to(paths.watchStatus, project, root), to(paths.getStatus, project, root)]
      return watchStatus(wire, { events, status }, options)
    },
    requestScreenshots: (project, body, options) =>
      request(to(paths.requestScreenshots, project), body, options),
    listPages: (project, options = {}) => list(to(paths.listPages, project), options),
    listHistory: (project, url, options = {}) => list(to(paths.listHistory, project), { url, ...options }),
    fetchPicture: (project, root, uuid, options) =>
      fetchFrom(to(paths.getPicture, project, root, uuid), options),
    fetchArchive: (project, root, options) => fetchFrom(to(paths.getArchive, project, root), options),
    pictureAddress: (project, root, uuid) => wire.server + to(paths.getPicture, project, root, uuid),
    archiveAddress: (project, root) => wire.server + to(paths.getArchive, project, root),
    cancelRoot: (project, root, options) =>
      write('DELETE', to(paths.cancelRoot, project, root), undefined, options),
  }
}
