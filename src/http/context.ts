import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Door } from '../access/door.ts'
import type { ApiKey, Keys } from '../access/keys.ts'
import type { Requests } from '../capture/requests.ts'
import type { RootWatchers } from '../capture/root-watchers.ts'
import type { ImportedStatus } from '../capture/status.ts'
import type { WhyWaiting } from '../capture/wait-for-room.ts'
import type { Config } from '../config/config.ts'
import type { Static } from '../contract/schema.ts'
import type { Images } from '../images/images.ts'
import type { MakeArchive } from '../results/archive.ts'
import type { Overviews } from '../results/overviews.ts'
import type { Pages } from '../results/pages.ts'
import type { Projects } from '../results/projects.ts'
import type { Results } from '../results/results.ts'
import type { ByteBudget } from '../shares/byte-budget.ts'
import type { FairTurns } from '../shares/fair-turns.ts'
import type { Refusals } from '../shares/refusals.ts'
import type { Figures } from './answers/figures.ts'
import type { GonePictures } from './answers/gone-pictures.ts'

/** What the operations work with. No driver, no SQL, no environment. */
export interface HttpContext {
  readonly config: Pick<
    Config,
    | 'host'
    | 'auth'
    | 'publicUrl'
    | 'explainTo'
    | 'corsOrigins'
    | 'compress'
    | 'rateLimit'
    | 'metricsToken'
    | 'limits'
  >
  readonly keys: Keys
  readonly door: Door
  /** Throws where the database does not answer. */
  readonly checkDatabase: () => Promise<void>
  readonly images: Images
  readonly projects: Projects
  readonly results: Results
  readonly overviews: Overviews
  readonly pages: Pages
  readonly makeArchive: MakeArchive
  readonly requests: Requests
  readonly watchers: RootWatchers
  readonly importedStatus: ImportedStatus
  /** Throws AppError `no_browser` where nothing could be captured. */
  readonly ready: () => Promise<void>
  /** What this process captures with, in words. Undefined: others capture. Throws AppError `no_browser`. */
  readonly findBrowser: () => Promise<{ readonly kind: string; readonly origin: string } | undefined>
  /** Why nothing is captured at the moment, by whoever captures. */
  readonly whyWaiting: WhyWaiting
  /** Whether pages wait that this process should have begun long ago. */
  readonly isStuck: () => Promise<boolean>
  readonly figures: Figures
  /** Pictures that results point at and that were not there. */
  readonly gone: GonePictures
  /** Work of the event loop and of the database, by turns between clients. */
  readonly turns: FairTurns
  /** What clients were refused because their share was used up. */
  readonly refusals: Refusals
  /** For the bodies of requests. */
  readonly bodies: ByteBudget
  /** For what was made of answers and not yet read. */
  readonly unread: ByteBudget
  readonly clock: () => number
}

/** What a request holds is what the schema of its operation describes. */
export interface ContractTypes extends FastifyTypeProvider {
  validator: Static<this['schema']>
  serializer: Static<this['schema']>
}

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ContractTypes
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may ask, where keys are on. Left out: the holder of any key of the project. */
    access?: 'everyone' | 'metrics' | 'write'
  }
  interface FastifyRequest {
    apiKey: ApiKey | undefined
    /** Of that key: what it is looked up by. */
    keyHash: string | undefined
  }
}
