import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseAllowList, parseDenyList } from '../egress/allow-list.ts'
import type { DatabaseLocation, ImagesLocation } from './locations.ts'
import { type SettingName, type SettingValue, settings } from './settings.ts'
import { EVERY_PROJECT, isLoopback } from './values.ts'

/** Needed to find and run a browser. None of them is a secret. */
const BROWSER_VARIABLES = [
  'PATH',
  'HOME',
  'TZ',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'PLAYWRIGHT_BROWSERS_PATH',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
]
const NOTHING = parseAllowList('')
const NOTHING_DENIED = parseDenyList('')

/** All mistakes of the environment, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`The configuration is not valid:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

/** The purpose for which a process opens the storage. */
export interface Purpose {
  readonly serving?: boolean
  /** Requests are accepted, or captured for other processes. */
  readonly capturing?: boolean
}

export type Config = ReturnType<typeof readConfig>

/** A setting without a default may be undefined. */
type Value<N extends SettingName> =
  | SettingValue<N>
  | ((typeof settings)[N]['default'] extends string ? never : undefined)

/** Reads every setting and opens nothing. No other code reads the environment. Some settings are required for a purpose. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  { serving = true, capturing = serving }: Purpose = {},
) {
  const mistakes: string[] = []

  const isGiven = (name: SettingName) => Boolean(env[name]?.trim())

  /** A setting with a default is undefined only after a mistake, and then this function throws below. */
  function read<N extends SettingName>(name: N): Value<N> {
    const { default: preset, parse, type } = settings[name]
    const text = env[name]?.trim() || (typeof preset === 'string' ? preset : undefined)
    try {
      return (text === undefined ? undefined : parse(text)) as Value<N>
    } catch (error) {
      const harmless = type === 'secret' || type === 'keys' ? '' : withoutPassword(text ?? '')
      mistakes.push(`${name} ${(error as Error).message}${harmless && ` (it is "${harmless}")`}`)
      return undefined as Value<N>
    }
  }

  const host = read('HOST')
  const loopback = isLoopback(host ?? '')
  const auth = read('AUTH') ?? (loopback ? 'open' : 'keys')
  if (auth === 'open' && host !== undefined && !loopback) {
    mistakes.push(
      `AUTH=open would let anyone who reaches ${host} read everything. Leave AUTH out to require API keys, ` +
        'or set AUTH=open-to-everyone if you really want this',
    )
  }
  const dataDir = read('DATA_DIR')
  const database: DatabaseLocation = read('DATABASE_URL') ?? {
    kind: 'sqlite',
    path: join(dataDir ?? '', 'proofsheet.db'),
  }
  const images: ImagesLocation = read('IMAGES_URL') ?? { kind: 'folder', path: join(dataDir ?? '', 'images') }
  // Instances that share a database must share their keys.
  if (database.kind === 'postgres') {
    if (serving && images.kind === 'folder' && !isGiven('SIGNING_KEYS'))
      mistakes.push(`SIGNING_KEYS is required with PostgreSQL and pictures in a folder: ${HOW}`)
    if (capturing && !isGiven('SECRET_KEYS')) mistakes.push(`SECRET_KEYS is required with PostgreSQL: ${HOW}`)
  }
  const publicUrl = read('IMAGES_PUBLIC_URL')
  const signedHost = read('IMAGES_SIGNED_HOST')
  if (signedHost === 'public' && publicUrl === undefined) {
    mistakes.push('IMAGES_SIGNED_HOST=public requires IMAGES_PUBLIC_URL: that host is signed')
  }
  const config = Object.freeze({
    host,
    port: read('PORT'),
    auth,
    publicUrl: read('PUBLIC_URL'),
    /** Projects whose clients may know whether a name is unknown or private. On loopback without keys, the client is the operator. */
    explainTo: read('EXPLAIN_TO') ?? (auth === 'open' ? EVERY_PROJECT : new Set<string>()),
    corsOrigins: read('CORS_ORIGINS') ?? [],
    rateLimit: read('RATE_LIMIT'),
    metricsToken: read('METRICS_TOKEN'),
    clientKey: read('PROOFSHEET_KEY'),
    compress: read('COMPRESS'),
    logLevel: read('LOG_LEVEL'),
    dataDir,
    database,
    databasePool: Object.freeze({
      connections: read('DATABASE_POOL'),
      waitMs: read('DATABASE_WAIT'),
      statementMs: read('DATABASE_TIMEOUT'),
    }),
    images,
    s3: Object.freeze({ timeoutMs: read('IMAGES_TIMEOUT'), publicUrl, signedHost }),
    /** Undefined, as for secret keys: use those in the data directory, which are created at the first start. */
    signingKeys: read('SIGNING_KEYS'),
    signingWindowMs: read('SIGNING_WINDOW'),
    secretKeys: read('SECRET_KEYS'),
    capture: Object.freeze({
      dataDir,
      chromiumPath: read('CHROMIUM_PATH'),
      concurrency: read('CAPTURE_CONCURRENCY') ?? availableParallelism(),
      allow: read('CAPTURE_ALLOW') ?? NOTHING,
      deny: read('CAPTURE_DENY') ?? NOTHING_DENIED,
      env: Object.fromEntries(BROWSER_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    }),
    scheduleSpreadMs: read('SCHEDULE_SPREAD'),
    webhooks: Object.freeze({
      allow: read('WEBHOOK_ALLOW') ?? NOTHING,
      most: read('MAX_WEBHOOKS'),
      keepMs: read('KEEP_DELIVERIES'),
      mostDeliveries: read('MAX_DELIVERIES'),
    }),
    limits: Object.freeze({
      listPage: read('PAGE_LIMIT'),
      templates: read('MAX_TEMPLATES'),
      jobsPerRoot: read('MAX_JOBS_PER_ROOT'),
      pictureBytes: read('MAX_PICTURE_BYTES'),
      picturePixels: read('MAX_PICTURE_PIXELS'),
      urls: read('MAX_URLS_PER_REQUEST'),
      pagesWaiting: read('MAX_PAGES_WAITING'),
      pagesScheduled: read('MAX_PAGES_SCHEDULED'),
      schedules: read('MAX_SCHEDULES'),
      scheduleIntervalMs: read('MIN_SCHEDULE_INTERVAL'),
      loadingMs: read('MAX_LOADING_TIME'),
      viewportWidth: read('MAX_VIEWPORT_WIDTH'),
      viewportHeight: read('MAX_VIEWPORT_HEIGHT'),
      pageBytes: read('MAX_PAGE_BYTES'),
      captureBytes: read('MAX_CAPTURE_BYTES'),
      bodyBytes: read('MAX_BODY_BYTES'),
      bodiesBytes: read('MAX_BODIES_BYTES'),
      unreadBytes: read('MAX_UNREAD_BYTES'),
      cacheBytes: read('CACHE_BYTES'),
      connections: read('MAX_CONNECTIONS'),
      streams: read('MAX_STREAMS_PER_CLIENT'),
      requestMs: read('REQUEST_TIMEOUT'),
      idleMs: read('IDLE_TIMEOUT'),
      responseMs: read('RESPONSE_TIMEOUT'),
      shutdownMs: read('SHUTDOWN_TIMEOUT'),
    }),
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return config
}

const HOW =
  'all instances must use the same keys. Create a key once and give it to each instance: echo k1:$(openssl rand -base64 32)'

/** A variable that is not a setting: the command line names it. */
export function readVariable(name: string): string | undefined {
  return process.env[name]
}

/** A storage address without its password, which is before the last @ or among the parameters. */
export function withoutPassword(address: string): string {
  return address.replace(/^(\w*:?\/*).*@/, '$1…@').replace(/\?.*/, '?…')
}

/** The hosts of the service, from its settings. */
export function ownHostsOf({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string[] {
  return publicUrl === undefined ? [host] : [host, new URL(publicUrl).hostname]
}

/** The version of this package. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(text).version
}
