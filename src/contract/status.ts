import type { CaptureOptions, OwnOptions } from './capture-options.ts'
import { explain, Optional, type Static, Time, Type } from './schema.ts'
import { Note, type Seen } from './seen.ts'
import { CAPTURE_STATES, ROOT_STATES, type RootState } from './states.ts'

export * from './states.ts'

/** Why a page could not be captured. Clients depend on the reasons: reasons are only added. */
export const CAPTURE_REASONS = {
  dns: 'its host name was not found',
  refused: 'its server refused the connection',
  unreachable: 'its server could not be reached, or did not answer as a web server does',
  tls: 'its certificate or encryption is not valid',
  timeout: 'nothing came in time, or the page kept the browser busy',
  blocked: 'captured pages may not reach its address',
  redirects: 'it was redirected too often',
  download: 'it is a file to download, not a page',
  too_large: 'it loads more than the service allows, or its picture is larger than the service can store',
  crashed: 'it crashed the browser, again and again',
  internal: 'the service failed, again and again',
  status: 'its server answered with an HTTP status of 400 or more, and the request treats that as a failure',
  unsteady: 'it looked different each time the browser drew it',
  login: 'the fields or the button of its login were not found, or the form was still there afterwards',
  wait_for: 'the element to wait for did not become visible in time',
  element: 'the element to be captured was not found, or has no size',
  secrets: 'its password, headers or cookies cannot be decrypted: the service no longer has their key',
} as const
export type CaptureReason = keyof typeof CAPTURE_REASONS

export const Reason = Type.Enum(Object.keys(CAPTURE_REASONS) as CaptureReason[], {
  description:
    `${explain(CAPTURE_REASONS)} Clients that the operator does not trust see \`unreachable\` instead of ` +
    '`dns` and `blocked`.',
})

const PageStatus = Type.Object({
  position: Type.Integer({ description: 'Its position in the request, from 0.' }),
  url: Type.String(),
  name: Type.String(),
  state: Type.Enum(CAPTURE_STATES),
  attempts: Type.Integer({ description: 'How many attempts there were.' }),
  queued: Time('When it was requested.'),
  started: Type.Optional(Time('When the last attempt began.')),
  finished: Type.Optional(Time('When it was done or failed.')),
  uuid: Optional.String({ format: 'uuid', description: 'The `uuid` of its job.' }),
  cut: Optional.Boolean({
    description:
      'The page is longer than a picture may be: its end is missing. The mark `cut` of `seen` says the same.',
  }),
  seen: Type.Optional(Type.Reference<Seen>('Seen')),
  notes: Optional.Array(Note, { description: 'The same as in `seen`.' }),
  loadingTime: Optional.Integer({ description: 'As it was requested, in milliseconds.' }),
  options: Type.Optional(Type.Reference<OwnOptions>('OwnOptions')),
  reason: Type.Optional(Reason),
  detail: Optional.String({ description: 'Why it failed, in words.' }),
})

export type PageStatus = Static<typeof PageStatus>

/** How many pages of a root are in each state. */
export const Counts = Type.Object({
  total: Type.Integer(),
  queued: Type.Integer(),
  running: Type.Integer(),
  done: Type.Integer(),
  failed: Type.Integer(),
  scheduled: Optional.Integer({ description: 'Left out if there are none.' }),
  cancelled: Optional.Integer({ description: 'Left out if there are none.' }),
})

export type Counts = Static<typeof Counts>

export const State = Type.Enum(ROOT_STATES, {
  description:
    '`scheduled`: its time has not come. `done`: every page has a result. `partial`: some pages have a result, the others failed. ' +
    '`failed`: all pages failed. `cancelled`: it was cancelled before its time.',
})

/** The schedule or template that created the root, and its time if it was scheduled. */
export const ORIGIN_FIELDS = {
  scheduled: Type.Optional(Time('The time that its pages are scheduled for.')),
  lateMs: Optional.Integer({
    description: 'How much later than `scheduled` it began, in milliseconds, if that was more than a minute.',
  }),
  templateId: Optional.String({ format: 'uuid', description: 'The template that it was created from.' }),
  schedule: Optional.Object(
    {
      scheduleId: Type.String({ format: 'uuid' }),
      occurrence: Time('The time of the schedule that this root is for.'),
      lateMs: Optional.Integer({
        description: 'How late it began, in milliseconds, if that was more than a minute.',
      }),
      missed: Optional.Integer({
        description:
          'How many later times of the schedule had passed when it began, counted up to 100. They are not made up for.',
      }),
    },
    { description: 'The recurring schedule that created it.' },
  ),
}

const Origin = Type.Object(ORIGIN_FIELDS)

export type Origin = Static<typeof Origin>

/** Why nothing is captured at the moment. Clients depend on the reasons: reasons are only added. */
const WAITING_REASONS = ['storage_full', 'read_only', 'storage_failed'] as const

const Waiting = Type.Object(
  {
    reason: Type.Enum(WAITING_REASONS),
    detail: Type.String({ description: 'For people.' }),
  },
  { description: 'Why nothing is captured at the moment. Capturing continues by itself.' },
)

export type Waiting = Static<typeof Waiting>

export const RootStatus = Type.Object(
  {
    rootId: Type.String({ format: 'uuid' }),
    state: State,
    waiting: Type.Optional(Waiting),
    created: Time('When it was requested.'),
    ...ORIGIN_FIELDS,
    tags: Type.Array(Type.String()),
    counts: Counts,
    options: Type.Optional(Type.Reference<CaptureOptions>('CaptureOptions')),
    urls: Type.Array(PageStatus, { description: 'In the order of the request.' }),
  },
  { $id: 'RootStatus', description: 'The status of a request for screenshots.' },
)

export type RootStatus = Static<typeof RootStatus>

export function stateOf({ total, queued, done, failed, scheduled, cancelled }: Counts): RootState {
  if (scheduled) return 'scheduled'
  if (cancelled) return 'cancelled'
  if (done === total) return 'done'
  if (failed === total) return 'failed'
  if (done + failed === total) return 'partial'
  return queued === total ? 'queued' : 'running'
}

/** Projects that see every reason why a page failed. All others do not see the closed reasons. */
export type ExplainTo = Pick<ReadonlySet<string>, 'has'>

/** The difference between them would show which names exist in the network of the service. */
const CLOSED: readonly CaptureReason[] = ['dns', 'blocked']

interface Failure {
  readonly reason: CaptureReason
  readonly detail: string
}

/** A failure as a project sees it. Without explanation, an unknown name and a private name look the same. */
export function tellFailure({ reason, detail }: Failure, url: string, isExplained: boolean): Failure {
  if (isExplained || !CLOSED.includes(reason)) return { reason, detail }
  const host = URL.parse(url)?.host || 'The page'
  return {
    reason: 'unreachable',
    detail:
      `${host}, or a host that it redirects to, could not be reached: either its name is unknown, or captured pages may not ` +
      'reach it. The log of the service says which.',
  }
}
