import type { Key, KeyRequest, NewKey, ProjectRequest, Session, SignIn } from '../contract/access.ts'
import type { JobOverview, PageSummary, Project, RootOverview } from '../contract/browsing.ts'
import { paths } from '../contract/paths.ts'
import type { Readiness } from '../contract/readiness.ts'
import type { createListQueries, StatusQuery } from '../contract/requests.ts'
import type { JobResult, RootResult } from '../contract/results.ts'
import type { Schedule, ScheduleRequest } from '../contract/schedules.ts'
import type { Static } from '../contract/schema.ts'
import type { ScreenshotRequest } from '../contract/screenshot-request.ts'
import type { RootState } from '../contract/states.ts'
import type { RootStatus } from '../contract/status.ts'
import type { Template, TemplateRequest, TemplateRun } from '../contract/templates.ts'
import type { Delivery, Webhook, WebhookRequest } from '../contract/webhooks.ts'
import {
  type Asking,
  type AskOptions,
  createAsking,
  type ListOptions,
  type ListPages,
  type RequestOptions,
} from './asking.ts'
import { followListPages, toQuery } from './list-pages.ts'
import { type Statuses, type WatchOptions, watchStatus } from './watch-status.ts'
import type { ClientOptions } from './wire.ts'

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
export type { LastRoot } from '../contract/owned.ts'
export type { ProblemCode } from '../contract/problem.ts'
export type { Readiness } from '../contract/readiness.ts'
export type { JobResult, RootResult } from '../contract/results.ts'
export type { Schedule, ScheduleRequest } from '../contract/schedules.ts'
export type { ScreenshotRequest } from '../contract/screenshot-request.ts'
export type { Mark, Note, Seen } from '../contract/seen.ts'
export { type CaptureState, isFinal, type RootState } from '../contract/states.ts'
export type { CaptureReason, Counts, PageStatus, RootStatus } from '../contract/status.ts'
export type { Template, TemplateRequest, TemplateRun } from '../contract/templates.ts'
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
export type { ClientOptions } from './wire.ts'

type Queries = ReturnType<typeof createListQueries>

/** The parameters of a query. The API describes each of them. */
type Query<Of> = AskOptions & {
  readonly [Name in Exclude<keyof Static<Of>, 'cursor' | 'url'>]?: Static<Of>[Name] | undefined
}

export type SearchOptions = Query<Queries['pages']>
export type RootsOptions = Query<Queries['roots']>
export type HistoryOptions = Query<Queries['history']>
export type DeliveriesOptions = Query<Queries['deliveries']>
export type StatusOptions = Query<typeof StatusQuery>
export type OverviewsOptions = Omit<Query<Queries['overviews']>, 'state'> & {
  /** Only those in this state, or in one of these. */
  readonly state?: RootState | readonly RootState[] | undefined
}

export type Client = ReturnType<typeof createCalls>

/** Every call throws a `ProblemError`, a `NoAnswerError`, or the reason of its signal. */
export function createClient(options: ClientOptions): Client {
  return createCalls(createAsking(options))
}

/** Each call names the type of its answer. Otherwise the declarations of the package would repeat whole schemas. */
function createCalls({ wire, to, fetchFrom, get, list, write, remove, request, owned }: Asking) {
  const templates = owned<Template, TemplateRequest>(paths.templates, paths.template)
  const schedules = owned<Schedule, ScheduleRequest>(paths.schedules, paths.schedule)
  const webhooks = owned<Webhook, WebhookRequest>(paths.webhooks, paths.webhook)
  return {
    /** Whether the service can answer, and capture. Needs no key. */
    getReadiness: (options?: AskOptions): Promise<Readiness> => get(paths.getReadiness, options),
    listProjects: (options: ListOptions = {}): ListPages<Project> => list(paths.listProjects, options),
    getProject: (projectId: string, options?: AskOptions): Promise<Project> =>
      get(to(paths.getProject, projectId), options),
    /** Newest first. Without a `limit`, one list page has all of them. */
    listRoots: (projectId: string, options: RootsOptions = {}): ListPages<RootResult> =>
      list(to(paths.listRoots, projectId), options),
    listOverviews: (projectId: string, options: OverviewsOptions = {}): ListPages<RootOverview> =>
      list(to(paths.listOverviews, projectId), options),
    getRoot: (projectId: string, rootId: string, options?: AskOptions): Promise<RootResult> =>
      get(to(paths.getRoot, projectId, rootId), options),
    getRootOverview: (projectId: string, rootId: string, options?: AskOptions): Promise<RootOverview> =>
      get(to(paths.getRootOverview, projectId, rootId), options),
    /** The jobs of a root. Without a `limit`, one list page has all of them. */
    async *listJobs(projectId: string, rootId: string, options: ListOptions = {}): ListPages<JobResult> {
      const pages = followListPages<RootResult>(wire, to(paths.getRoot, projectId, rootId), options)
      for await (const { jobs } of pages) yield jobs
    },
    getStatus: (
      projectId: string,
      rootId: string,
      { wait, ...options }: StatusOptions = {},
    ): Promise<RootStatus> => get(to(paths.getStatus, projectId, rootId) + toQuery({ wait }), options),
    /** Gives the whole status whenever it changes, over as many connections as it takes. Ends with the root, or its signal. */
    watchStatus(projectId: string, rootId: string, options: WatchOptions = {}): Statuses {
      const events = to(paths.watchStatus, projectId, rootId)
      return watchStatus(wire, { events, status: to(paths.getStatus, projectId, rootId) }, options)
    },
    /** If no answer comes, it asks once more. The request is still accepted only once. */
    requestScreenshots: (projectId: string, body: ScreenshotRequest, options?: RequestOptions) =>
      request(to(paths.requestScreenshots, projectId), body, options),
    /** The pages that were captured: every address once. */
    listPages: (projectId: string, options: SearchOptions = {}): ListPages<PageSummary> =>
      list(to(paths.listPages, projectId), options),
    /** The screenshots of one address, newest first: all, or those with the same options. */
    listHistory: (projectId: string, url: string, options: HistoryOptions = {}): ListPages<JobOverview> =>
      list(to(paths.listHistory, projectId), { url, ...options }),
    /** A PNG. */
    fetchPicture: (projectId: string, rootId: string, uuid: string, options?: AskOptions) =>
      fetchFrom(to(paths.getPicture, projectId, rootId, uuid), options),
    /** All pictures of a root, as a zip. */
    fetchArchive: (projectId: string, rootId: string, options?: AskOptions) =>
      fetchFrom(to(paths.getArchive, projectId, rootId), options),
    /** Cancels a root whose time has not come. */
    cancelRoot: (projectId: string, rootId: string, options?: AskOptions) =>
      remove(to(paths.cancelRoot, projectId, rootId), options),

    /** The address of a plain link, for services that ask for no key. */
    pictureAddress: (projectId: string, rootId: string, uuid: string) =>
      wire.server + to(paths.getPicture, projectId, rootId, uuid),
    archiveAddress: (projectId: string, rootId: string) =>
      wire.server + to(paths.getArchive, projectId, rootId),

    listTemplates: templates.list,
    getTemplate: templates.get,
    createTemplate: templates.create,
    changeTemplate: templates.change,
    removeTemplate: templates.remove,
    /** Requests the pages of a template. Repeated as `requestScreenshots` is. */
    runTemplate: (projectId: string, templateId: string, run: TemplateRun = {}, options?: RequestOptions) =>
      request(to(paths.template, projectId, templateId), run, options),

    listSchedules: schedules.list,
    getSchedule: schedules.get,
    createSchedule: schedules.create,
    changeSchedule: schedules.change,
    removeSchedule: schedules.remove,
    /** Runs it now, beside its times. */
    runSchedule: (projectId: string, scheduleId: string, options?: AskOptions) =>
      write<{ jobId: string }>('POST', to(paths.runSchedule, projectId, scheduleId), {}, options),
    /** The next times of a schedule that is not made yet. */
    previewSchedule: (
      projectId: string,
      when: Pick<ScheduleRequest, 'cron' | 'timezone' | 'every'>,
      options?: AskOptions,
    ): Promise<{ next: number[] }> => write('POST', to(paths.previewSchedule, projectId), when, options),

    listWebhooks: webhooks.list,
    getWebhook: webhooks.get,
    /** The answer has the secret, once. */
    createWebhook: webhooks.create,
    changeWebhook: webhooks.change,
    removeWebhook: webhooks.remove,
    testWebhook: (projectId: string, webhookId: string, options?: AskOptions): Promise<Delivery> =>
      write('POST', to(paths.testWebhook, projectId, webhookId), {}, options),
    /** The answer has the new secret, once. The old one is valid for another day. */
    rotateSecret: (projectId: string, webhookId: string, options?: AskOptions): Promise<Webhook> =>
      write('POST', to(paths.rotateSecret, projectId, webhookId), {}, options),
    /** Newest first. */
    listDeliveries: (
      projectId: string,
      webhookId: string,
      options: DeliveriesOptions = {},
    ): ListPages<Delivery> => list(to(paths.deliveries, projectId, webhookId), options),
    replayDelivery: (
      projectId: string,
      webhookId: string,
      deliveryId: string,
      options?: AskOptions,
    ): Promise<Delivery> =>
      write('POST', to(paths.replayDelivery, projectId, webhookId, deliveryId), {}, options),
    /** Sends everything again that happened at this time or later. */
    replayDeliveries: (
      projectId: string,
      webhookId: string,
      from: number,
      options?: AskOptions,
    ): Promise<{ deliveries: number }> =>
      write('POST', to(paths.replayDeliveries, projectId, webhookId), { from }, options),

    // These need a key with the scope `admin`, or a service that asks for no key.
    createProject: (body: ProjectRequest, options?: AskOptions): Promise<Project> =>
      write('POST', paths.listProjects, body, options),
    renameProject: (projectId: string, name: string, options?: AskOptions): Promise<Project> =>
      write('PUT', to(paths.getProject, projectId), { name }, options),
    removeProject: (projectId: string, options?: AskOptions) =>
      remove(to(paths.getProject, projectId), options),
    listKeys: (options: Query<Queries['keys']> = {}): ListPages<Key> => list(paths.keys, options),
    createKey: (body: KeyRequest, options?: AskOptions): Promise<NewKey> =>
      write('POST', paths.keys, body, options),
    revokeKey: (keyId: string, options?: AskOptions) => remove(to(paths.key, keyId), options),

    /** For web pages: who asks, by the key of the client or by the cookie of the browser. */
    getSession: (options?: AskOptions): Promise<Session> => get(paths.session, options),
    /** Keeps a key in a cookie that scripts cannot read. */
    signIn: (body: SignIn, options?: AskOptions): Promise<Session> =>
      write('POST', paths.session, body, options),
    /** Forgets one key of the cookie, or all of them. */
    signOut: (keyId?: string, options?: AskOptions): Promise<Session> =>
      remove(keyId === undefined ? paths.session : to(paths.sessionKey, keyId), options),
  }
}
