import { Key, KeyRequest, NewKey, ProjectRequest, Session, SignIn } from '../../contract/access.ts'
import { JobOverview, PageFailure, PageSummary, Project, RootOverview } from '../../contract/browsing.ts'
import { CaptureOptions, OwnOptions, View } from '../../contract/capture-options.ts'
import { Problem } from '../../contract/problem.ts'
import { JobResult, RootResult } from '../../contract/results.ts'
import type { Schema } from '../../contract/schema.ts'
import {
  createScreenshotRequest,
  type RequestLimits,
  type ScreenshotRequest,
} from '../../contract/screenshot-request.ts'
import { type Note, Seen } from '../../contract/seen.ts'
import { RootStatus } from '../../contract/status.ts'
import type { Chapter } from '../operation.ts'

/** Raise it with every addition. The paths are frozen. */
export const API_VERSION = '1.6.0'

/** In the order of the documentation. */
export const chaptersWith = (resources: readonly Chapter[]) => [
  { name: 'Results', description: 'Finished screenshots, with signed addresses of their pictures.' },
  { name: 'Browsing', description: 'The same results, for people.' },
  { name: 'Capturing', description: 'Request screenshots, and read their status.' },
  ...resources.map(({ name, description }) => ({ name, description })),
  { name: 'Downloads', description: 'Pictures as files.' },
  { name: 'Access', description: 'Projects, keys, and the session of a browser.' },
  { name: 'Images', description: 'Picture files, at their signed URLs.' },
  { name: 'Operating', description: 'For operators.' },
]

const projectId = '11111111-1111-4111-8111-111111111111'
const rootId = '7f3c1a52-4b0e-4d53-9a55-0a4e1f0f2a10'
const uuid = 'c1d5a5c4-08a4-4b8e-b7a6-0f6a4b1f6f3d'
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

const key = { keyId: '6c0a1f93b2d4', scope: 'write', projectId, label: 'CI', created } satisfies Key
/** For the examples of other schemas. */
export const EXAMPLE = {
  page,
  request: smallRequest,
  created,
  rootId,
  last: { rootId, created, state: 'done', preview: job.preview },
} as const

export const named = <T>(schema: Schema<T>, ...examples: NoInfer<T>[]): Schema => ({ ...schema, examples })

/** The schemas that have a name, with examples. Operations refer to them by their name. */
export const createNamedSchemas = (limits: RequestLimits, resources: readonly Chapter[]): Schema[] => [
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
  ...resources.flatMap(({ schemas }) => schemas(limits)),
  named(Key, key),
  named(NewKey, { ...key, key: 'psk_…' }),
  named(KeyRequest, { scope: 'write', projectId, label: 'CI' }, { scope: 'admin', label: 'Operator' }),
  named(ProjectRequest, { name: 'My site' }),
  named(SignIn, { key: 'psk_…', stay: true }),
  named(Session, { auth: 'keys', keys: [key], isAdmin: false }),
  named(Problem, {
    ...{ type: 'about:blank', title: 'The request is not valid', status: 400, code: 'bad_request' },
    detail: 'the request has mistakes: see errors',
    errors: [{ pointer: '#/screenshotParameter/width', detail: 'must be a whole number from 1 to 4096' }],
    requestId: 'QbbNB22ffrl4-0',
  }),
]
