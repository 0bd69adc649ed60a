import { Key, KeyRequest, NewKey, ProjectRequest, Session, SignIn } from '../../contract/access.ts'
import { JobOverview, PageFailure, PageSummary, Project, RootOverview } from '../../contract/browsing.ts'
import { CaptureOptions, OwnOptions, View } from '../../contract/capture-options.ts'
import { Problem } from '../../contract/problem.ts'
import { JobResult, RootResult } from '../../contract/results.ts'
import { createScheduleRequest, Schedule, SchedulePreviewRequest } from '../../contract/schedules.ts'
import type { Schema } from '../../contract/schema.ts'
import {
  createScreenshotRequest,
  type RequestLimits,
  type ScreenshotRequest,
} from '../../contract/screenshot-request.ts'
import { type Note, Seen } from '../../contract/seen.ts'
import { RootStatus } from '../../contract/status.ts'
import { createTemplateRequest, createTemplateRun, Template } from '../../contract/templates.ts'
import { Delivery, ReplayRequest, Webhook, WebhookRequest } from '../../contract/webhooks.ts'

/** Raise it with every addition. The paths are frozen. */
export const API_VERSION = '1.6.0'

/** In the order of the documentation. */
export const TAGS = [
  { name: 'Results', description: 'Finished screenshots, with signed addresses of their pictures.' },
  { name: 'Browsing', description: 'The same results, for people.' },
  { name: 'Capturing', description: 'Request screenshots, and read their status.' },
  { name: 'Templates', description: 'Stored requests, to be run again.' },
  { name: 'Schedules', description: 'Requests that run repeatedly, at fixed times.' },
  { name: 'Webhooks', description: 'Notifies other servers of events.' },
  { name: 'Downloads', description: 'Pictures as files.' },
  { name: 'Access', description: 'Projects, keys, and the session of a browser.' },
  { name: 'Images', description: 'Picture files, at their signed URLs.' },
  { name: 'Operating', description: 'For operators.' },
] as const

export type TagName = (typeof TAGS)[number]['name']

const projectId = '11111111-1111-4111-8111-111111111111'
const rootId = '7f3c1a52-4b0e-4d53-9a55-0a4e1f0f2a10'
const uuid = 'c1d5a5c4-08a4-4b8e-b7a6-0f6a4b1f6f3d'
const scheduleId = '5b0c7a1e-93d4-4c7e-8f58-1d2f6a7b8c90'
const created = 1_772_344_800_000
const page = { url: 'https://example.com/', name: 'Home' }
const address = (file: string) =>
  `https://shots.example.com/images/${projectId}/${file}?expires=1772409600&key=k1&signature=brTGHPFjTJuAO3PWXMCuAYbFFv8edrLQfrPztlArzqY`

const view: View = { width: 1_200, height: 720, fullPage: true }
const job: JobResult = {
  data: address(`${uuid}.png`),
  rootId,
  projectId,
  uuid,
  url: { ...page, loadingTime: 15_000 },
  meta: { created },
  screenshotParameter: { height: 2_480, width: 1_200, basepath: '/tmp', name: uuid },
  preview: address(`${uuid}-preview.png`),
}
const failure: PageFailure = {
  position: 1,
  url: 'https://example.com/shop',
  name: 'Shop',
  reason: 'timeout',
  detail: 'its server did not answer in time',
}
const counts = { total: 2, queued: 0, running: 0, done: 1, failed: 1 }
const notes: Note[] = [{ note: 'hide', detail: '.chat was not found' }]
const seen: Seen = { status: 200, url: page.url, title: 'Example', failedResources: 0, marks: [], notes }
const shown: JobOverview = { ...job, view, seen }

const smallRequest: ScreenshotRequest = {
  screenshotParameter: { width: 1_200, height: 720, fullPage: true, tags: ['weekly'] },
  urls: [page, { url: 'https://example.com/shop', name: 'Shop', loadingTime: 15_000 }],
}

const fullRequest: ScreenshotRequest = {
  screenshotParameter: {
    sizes: [
      { width: 390, height: 844 },
      { width: 1_280, height: 800 },
    ],
    fullPage: true,
    deviceScaleFactor: 2,
    colorScheme: 'dark',
    reducedMotion: true,
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    headers: { 'x-preview': 'secret' },
    cookies: [{ name: 'session', value: '8f14e45f' }],
    loginParameter: {
      username: { elementId: '#email', username: 'ada@example.com' },
      password: { elementId: '#password', password: 'correct horse' },
      loginButton: { elementId: '#login' },
    },
    cookieBanners: 'decline',
    hide: ['.chat'],
    css: '.ad { visibility: hidden }',
    waitFor: '#ready',
    delay: 500,
    style: 'macos-simple-dark',
    effects: [
      { effect: 'roundcorners', options: { radius: 12 } },
      { effect: 'shadow', options: { blur: 20, opacity: 0.4 } },
    ],
    tags: ['weekly'],
  },
  urls: [
    { ...page, clicks: [{ elementId: '#menu', loadingTime: 1_000 }], area: 'upperhalf' },
    { url: 'https://example.com/shop', name: 'Shop', device: 'iPhone 15', element: '#offers' },
  ],
  failOn: 'status',
}

const template: Template = {
  templateId: '5a0c1a6e-6f4b-4d0e-9c52-7d2a1f3c9b10',
  name: 'Nightly',
  ...smallRequest,
  created,
  changed: created,
  last: { rootId, created, state: 'done', preview: job.preview },
}
const key = { keyId: '6c0a1f93b2d4', scope: 'write', projectId, label: 'CI', created } satisfies Key
const webhook: WebhookRequest = {
  name: 'Chat',
  url: 'https://example.com/hooks/screenshots',
  events: ['screenshot.done', 'root.finished'],
}

const named = <T>(schema: Schema<T>, ...examples: NoInfer<T>[]): Schema => ({ ...schema, examples })

/** The schemas that have a name, with examples. Operations refer to them by their name. */
export const createNamedSchemas = (limits: RequestLimits): Schema[] => [
  named(JobResult, job),
  named(Seen, seen),
  named(View, view),
  named(CaptureOptions, { ...view, tags: ['weekly'] }),
  named(OwnOptions, { width: 390, height: 844 }),
  named(JobOverview, shown),
  named(PageFailure, failure),
  named(RootResult, { rootId, meta: { created }, jobs: [job] }),
  named(Project, { projectId, name: 'My site', meta: { created } }),
  named(RootOverview, {
    ...{ rootId, meta: { created }, state: 'partial', tags: ['weekly'], counts, marks: {}, view },
    ...{ failures: [failure], jobs: [shown] },
  }),
  named(PageSummary, {
    ...page,
    ...{ pictures: 12, oldest: created - 7_776_000_000, newest: created, latest: shown },
  }),
  named(RootStatus, {
    ...{ rootId, state: 'partial', created, tags: ['weekly'], counts },
    options: { ...view, tags: ['weekly'], hide: ['.chat'] },
    urls: [
      {
        ...{ position: 0, ...page, state: 'done', attempts: 1, queued: created },
        ...{ started: created + 120, finished: created + 2_340, uuid, seen, notes, loadingTime: 15_000 },
      },
      {
        ...{ ...failure, state: 'failed', attempts: 1, queued: created },
        ...{ started: created + 130, finished: created + 15_400 },
      },
    ],
  }),
  named(createScreenshotRequest(limits), smallRequest, fullRequest),
  named(createTemplateRequest(limits), { name: template.name, ...smallRequest }),
  named(createTemplateRun(limits), { urls: [page] }),
  named(Template, template),
  named(createScheduleRequest(limits), {
    ...{ name: 'Every night at two', cron: '0 2 * * *', timezone: 'Europe/Berlin', request: smallRequest },
  }),
  named(SchedulePreviewRequest, { cron: '0 2 * * *', timezone: 'Europe/Berlin' }),
  named(Schedule, {
    ...{ scheduleId, name: 'Every night at two', request: smallRequest },
    ...{ cron: '0 2 * * *', timezone: 'Europe/Berlin', overlap: 'skip', paused: false },
    next: [0, 1, 2, 3, 4].map((days) => created + days * 86_400_000),
    ...{ created, changed: created, runs: 31, late: 0, skipped: 1, lastSkipped: created - 86_400_000 },
    last: { rootId, created, state: 'done', preview: job.preview },
  }),
  named(Key, key),
  named(NewKey, { ...key, key: 'psk_…' }),
  named(KeyRequest, { scope: 'write', projectId, label: 'CI' }, { scope: 'admin', label: 'Operator' }),
  named(ProjectRequest, { name: 'My site' }),
  named(SignIn, { key: 'psk_…', stay: true }),
  named(Session, { auth: 'keys', keys: [key], isAdmin: false }),
  named(WebhookRequest, webhook, {
    ...{ ...webhook, url: 'https://hooks.slack.com/services/…', format: 'slack' },
  }),
  named(Webhook, {
    ...{ webhookId: uuid, ...webhook, format: 'standard', paused: false },
    ...{ created, changed: created, pending: 0 },
  }),
  named(Delivery, {
    ...{ deliveryId: '0195514f-7b00-7000-9d3c-5f1e6a7b8c9d', event: 'screenshot.done', rootId, position: 0 },
    ...{ state: 'pending', created, attempts: 1, next: created + 5_000 },
    last: { at: created, ms: 120, status: 500, answer: 'try again later' },
  }),
  named(ReplayRequest, { from: created }),
  named(Problem, {
    ...{ type: 'about:blank', title: 'The request is not valid', status: 400, code: 'bad_request' },
    detail: 'the request has mistakes: see errors',
    errors: [{ pointer: '#/screenshotParameter/width', detail: 'must be a whole number from 1 to 4096' }],
    requestId: 'QbbNB22ffrl4-0',
  }),
]
