import type { Key, KeyRequest, NewKey, ProjectRequest, Session, SignIn } from '../../contract/access.ts'
import type { JobOverview, PageFailure, PageSummary, Project, RootOverview } from '../../contract/browsing.ts'
import type { CaptureOptions, OwnOptions, View } from '../../contract/capture-options.ts'
import type { Problem } from '../../contract/problem.ts'
import type { JobResult, RootResult } from '../../contract/results.ts'
import type { Schedule, ScheduleRequest } from '../../contract/schedules.ts'
import type { ScreenshotRequest } from '../../contract/screenshot-request.ts'
import type { Note, Seen } from '../../contract/seen.ts'
import type { RootStatus } from '../../contract/status.ts'
import type { Template, TemplateRequest, TemplateRun } from '../../contract/templates.ts'
import type { Delivery, ReplayRequest, Webhook, WebhookRequest } from '../../contract/webhooks.ts'

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

/** Examples for each named schema, for the documentation. */
export const examples = {
  ScreenshotRequest: [smallRequest, fullRequest],
  TemplateRequest: { name: template.name, ...smallRequest } satisfies TemplateRequest,
  TemplateRun: { urls: [page] } satisfies TemplateRun,
  Template: template,
  ScheduleRequest: {
    ...{ name: 'Every night at two', cron: '0 2 * * *', timezone: 'Europe/Berlin', request: smallRequest },
  } satisfies ScheduleRequest,
  SchedulePreviewRequest: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
  Schedule: {
    ...{ scheduleId, name: 'Every night at two', request: smallRequest },
    ...{ cron: '0 2 * * *', timezone: 'Europe/Berlin', overlap: 'skip', paused: false },
    next: [0, 1, 2, 3, 4].map((days) => created + days * 86_400_000),
    ...{ created, changed: created, runs: 31, late: 0, skipped: 1, lastSkipped: created - 86_400_000 },
    last: { rootId, created, state: 'done', preview: address(`${uuid}-preview.png`) },
  } satisfies Schedule,
  JobResult: job,
  RootResult: { rootId, meta: { created }, jobs: [job] } satisfies RootResult,
  Project: { projectId, name: 'My site', meta: { created } } satisfies Project,
  View: view,
  CaptureOptions: { ...view, tags: ['weekly'] } satisfies CaptureOptions,
  OwnOptions: { width: 390, height: 844 } satisfies OwnOptions,
  Seen: seen,
  JobOverview: shown,
  PageFailure: failure,
  RootOverview: {
    ...{ rootId, meta: { created }, state: 'partial', tags: ['weekly'], counts, marks: {}, view },
    ...{ failures: [failure], jobs: [shown] },
  } satisfies RootOverview,
  PageSummary: {
    ...page,
    ...{ pictures: 12, oldest: created - 7_776_000_000, newest: created, latest: shown },
  } satisfies PageSummary,
  RootStatus: {
    ...{ rootId, state: 'partial', created, tags: ['weekly'], counts },
    options: { ...view, tags: ['weekly'], hide: ['.chat'] },
    urls: [
      {
        ...{ position: 0, ...page, state: 'done', attempts: 1, queued: created },
        ...{ started: created + 120, finished: created + 2_340, uuid, seen, notes, loadingTime: 15_000 },
      },
      {
        ...failure,
        ...{
          state: 'failed',
          attempts: 1,
          queued: created,
          started: created + 130,
          finished: created + 15_400,
        },
      },
    ],
  } satisfies RootStatus,
  Key: key,
  NewKey: { ...key, key: 'psk_…' } satisfies NewKey,
  KeyRequest: [
    { scope: 'write', projectId, label: 'CI' },
    { scope: 'admin', label: 'Operator' },
  ] satisfies KeyRequest[],
  ProjectRequest: { name: 'My site' } satisfies ProjectRequest,
  SignIn: { key: 'psk_…', stay: true } satisfies SignIn,
  Session: { auth: 'keys', keys: [key], isAdmin: false } satisfies Session,
  WebhookRequest: [
    webhook,
    { ...webhook, url: 'https://hooks.slack.com/services/…', format: 'slack' } satisfies WebhookRequest,
  ],
  Webhook: {
    ...{ webhookId: uuid, ...webhook, format: 'standard', paused: false },
    ...{ created, changed: created, pending: 0 },
  } satisfies Webhook,
  Delivery: {
    ...{ deliveryId: '0195514f-7b00-7000-9d3c-5f1e6a7b8c9d', event: 'screenshot.done', rootId, position: 0 },
    ...{ state: 'pending', created, attempts: 1, next: created + 5_000 },
    last: { at: created, ms: 120, status: 500, answer: 'try again later' },
  } satisfies Delivery,
  ReplayRequest: { from: created } satisfies ReplayRequest,
  Problem: {
    ...{ type: 'about:blank', title: 'The request is not valid', status: 400, code: 'bad_request' },
    detail: 'the request has mistakes: see errors',
    errors: [{ pointer: '#/screenshotParameter/width', detail: 'must be a whole number from 1 to 4096' }],
    requestId: 'QbbNB22ffrl4-0',
  } satisfies Problem,
}
