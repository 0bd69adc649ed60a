import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Administration } from '../access/administration.ts'
import type { Door } from '../access/door.ts'
import type { ApiKey, GivenKey, Keys } from '../access/keys.ts'
import type { Sessions } from '../access/sessions.ts'
import type { CaptureFigures } from '../capture/figures.ts'
import type { Requests } from '../capture/requests.ts'
import type { RootWatchers } from '../capture/root-watchers.ts'
import type { ImportedStatus } from '../capture/status.ts'
import type { WhyWaiting } from '../capture/why-waiting.ts'
import type { Config } from '../config/config.ts'
import type { Images } from '../images/images.ts'
import type { MakeArchive } from '../results/archive.ts'
import type { Overviews } from '../results/overviews.ts'
import type { Pages } from '../results/pages.ts'
import type { Projects } from '../results/projects.ts'
import type { Results } from '../results/results.ts'
import type { ScheduleFigures } from '../schedules/runs.ts'
import type { ByteBudget } from '../shares/byte-budget.ts'
import type { FairTurns } from '../shares/fair-turns.ts'
import type { Pace } from '../shares/pace.ts'
import type { Refusals } from '../shares/refusals.ts'
import type { DeliveryFigures } from '../webhooks/attempt.ts'
import type { GonePictures } from './answers/gone-pictures.ts'

/** The access that an operation needs, if keys are required. `session`: everyone, with or without a key. */
export type Access = 'everyone' | 'session' | 'metrics' | 'read' | 'write' | 'admin'

/** Everything that operations use. No driver, no SQL, no environment. */
export interface HttpContext {
  readonly config: Config
  readonly keys: Keys
  readonly sessions: Sessions
  readonly administration: Administration
  /** Returns as soon as the project is hidden. False if there is no such project. */
  readonly removeProject: (projectId: string, now: number) => Promise<boolean>
  readonly door: Door
  /** Throws if the database does not answer. */
  readonly checkDatabase: () => Promise<void>
  readonly images: Images
  readonly projects: Projects
  readonly results: Results
  readonly overviews: Overviews
  readonly pages: Pages
  readonly makeArchive: MakeArchive
  readonly requests: Requests
  /** Cancels a scheduled root. False if it has begun. */
  readonly cancel: (root: { projectId: string; rootId: string }) => Promise<boolean>
  readonly watchers: RootWatchers
  readonly importedStatus: ImportedStatus
  /** Throws AppError `no_browser` if nothing can be captured, as far as is known. Waits for no browser. */
  readonly requireBrowser: () => Promise<void>
  /** The browser of this process, in words. Undefined if only other processes capture. Throws AppError `no_browser`. */
  readonly findBrowser: () => Promise<{ readonly kind: string; readonly origin: string } | undefined>
  /** Why nothing is captured at the moment, by any process. */
  readonly whyWaiting: WhyWaiting
  /** Whether pages wait that this process should have begun. */
  readonly isStuck: () => Promise<boolean>
  /** The figures of this process, except those of its requests. */
  readonly figures: {
    readonly captures: CaptureFigures
    readonly schedules: ScheduleFigures
    /** Pages that wait to be captured, by any process, and when the oldest was requested. */
    backlog(): Promise<{ waiting: number; running: number; oldest: number | undefined }>
    readonly deliveries: DeliveryFigures
    /** Deliveries that are pending, by any process, and when the oldest of them happened. */
    deliveriesBacklog(): Promise<{ pending: number; oldest: number | undefined; off: number }>
    /** Undefined if connections have no limit. */
    databaseConnections(): { used: number; waiting: number } | undefined
    /** Removed by sweeps: files that no row points at, and batches that were never published. */
    readonly swept: { readonly orphans: number; readonly staging: number }
  }
  readonly gone: GonePictures
  readonly turns: FairTurns
  readonly pace: Pace
  readonly refusals: Refusals
  /** Memory for bodies of requests. */
  readonly bodies: ByteBudget
  /** Memory for pieces of answers that wait for their reader. */
  readonly unread: ByteBudget
  readonly clock: () => number
}

export type Server = FastifyInstance

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** A browser without a key is redirected to the sign-in page. */
    leadsToSignIn?: true
  }
  interface FastifyRequest {
    /** When it arrived, on the clock of `performance`. */
    arrived: number
    /** The key that the request uses. */
    apiKey: ApiKey | undefined
    /** The same, with its hash and its session. */
    givenKey: GivenKey | undefined
    /** All keys that were sent with it: a session may have several. Undefined if none is required. */
    keys: readonly GivenKey[] | undefined
    /** It has the cookie of a session, and no key in its header. */
    hasSession: boolean
  }
}

/** The client that has a share: the holder of a key, or a network address if no key is required. */
export function clientOf({ apiKey, ip }: FastifyRequest): string {
  return apiKey?.keyId ?? ip
}
