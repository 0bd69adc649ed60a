import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type AllowList, type DenyList, parseAllowList, parseDenyList } from '../egress/allow-list.ts'
import { parseSigningKeys, type SigningKey } from '../images/disk/signing-keys.ts'
import { parseSecretKeys, type SecretKey } from '../secrets/secret-keys.ts'
import { type Limits, readLimits } from './limits.ts'
import type { DatabaseLocation, ImagesLocation } from './locations.ts'
import { type SettingName, type SettingValue, settings } from './settings.ts'
import { EVERY_PROJECT, isLoopback } from './values.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly auth: 'open' | 'keys' | 'open-to-everyone'
  readonly publicUrl: string | undefined
  /** Projects whose clients may know whether a name is unknown or private. */
  readonly explainTo: { has(projectId: string): boolean }
  readonly corsOrigins: readonly string[]
  readonly rateLimit: { readonly requests: number; readonly periodMs: number } | undefined
  readonly metricsToken: string | undefined
  /** The API key for `capture --server`. */
  readonly clientKey: string | undefined
  readonly compress: SettingValue<'COMPRESS'>
  readonly logLevel: SettingValue<'LOG_LEVEL'>
  readonly dataDir: string
  readonly database: DatabaseLocation
  readonly databasePool: DatabasePool
  readonly images: ImagesLocation
  readonly s3: S3Settings
  /** Undefined: use those in the data directory, which are created at the first start. */
  readonly signingKeys: readonly SigningKey[] | undefined
  readonly signingWindowMs: number
  /** Undefined: as for signing keys. */
  readonly secretKeys: readonly SecretKey[] | undefined
  readonly capture: CaptureSettings
  readonly scheduleSpreadMs: number
  readonly webhooks: WebhookSettings
  readonly limits: Limits
}

export interface WebhookSettings {
  readonly allow: AllowList
  /** Of a project. */
  readonly most: number
  readonly keepMs: number
  /** Deliveries of one webhook that are kept. */
  readonly mostDeliveries: number
}

/** For the browser. */
export interface CaptureSettings {
  readonly chromiumPath: string | undefined
  readonly concurrency: number
  readonly allow: AllowList
  readonly deny: DenyList
  /** The variables that are needed to find and run a browser. None of them is a secret. */
  readonly env: Readonly<Record<string, string>>
}

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

/** For PostgreSQL. */
export interface DatabasePool {
  readonly connections: number
  readonly waitMs: number
  readonly statementMs: number
}

/** For S3. */
export interface S3Settings {
  readonly timeoutMs: number
  readonly publicUrl: string | undefined
  readonly signedHost: 'bucket' | 'public'
}

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

/** Reads every setting and opens nothing. No other code reads the environment. Some settings are required for a purpose. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  { serving = true, capturing = serving }: Purpose = {},
): Config {
  const mistakes: string[] = []

  function read<N extends SettingName>(name: N): SettingValue<N> | undefined {
    const { default: preset, parse } = settings[name]
    const text = env[name]?.trim() || (typeof preset === 'string' ? preset : undefined)
    if (text === undefined) return undefined
    return attempt(name, () => parse(text) as SettingValue<N>, settings[name].type === 'secret' ? '' : text)
  }

  function attempt<T>(name: string, make: () => T, shown: string): T | undefined {
    try {
      return make()
    } catch (error) {
      const harmless = withoutPassword(shown)
      mistakes.push(`${name} ${(error as Error).message}${harmless && ` (it is "${harmless}")`}`)
      return undefined
    }
  }

  // A setting with a default is undefined only after a mistake, and then this function throws below.
  function need<N extends SettingName>(name: N): SettingValue<N> {
    return read(name) as SettingValue<N>
  }

  function parseKeys<T>(name: string, text: string | undefined, parse: (text: string) => T): T | undefined {
    return text === undefined ? undefined : attempt(name, () => parse(text), '')
  }

  const host = need('HOST')
  const loopback = isLoopback(host ?? '')
  const auth = read('AUTH') ?? (loopback ? 'open' : 'keys')
  if (auth === 'open' && host !== undefined && !loopback) {
    mistakes.push(
      `AUTH=open would let anyone who reaches ${host} read everything. Leave AUTH out to require API keys, ` +
        'or set AUTH=open-to-everyone if you really want this',
    )
  }
  const dataDir = need('DATA_DIR')
  const database = read('DATABASE_URL') ?? { kind: 'sqlite', path: join(dataDir ?? '', 'proofsheet.db') }
  const images = read('IMAGES_URL') ?? { kind: 'folder', path: join(dataDir ?? '', 'images') }
  const keys = { signingKeys: read('SIGNING_KEYS'), secretKeys: read('SECRET_KEYS') }
  mistakes.push(...findMissingKeys({ database, images, ...keys }, { serving, capturing }))
  const publicUrl = read('IMAGES_PUBLIC_URL')
  const signedHost = need('IMAGES_SIGNED_HOST')
  if (signedHost === 'public' && publicUrl === undefined) {
    mistakes.push('IMAGES_SIGNED_HOST=public requires IMAGES_PUBLIC_URL: that host is signed')
  }
  const config: Config = {
    host,
    port: need('PORT'),
    auth,
    publicUrl: read('PUBLIC_URL'),
    // On loopback without keys, the client is the operator.
    explainTo: read('EXPLAIN_TO') ?? (auth === 'open' ? EVERY_PROJECT : new Set()),
    corsOrigins: read('CORS_ORIGINS') ?? [],
    rateLimit: read('RATE_LIMIT'),
    metricsToken: read('METRICS_TOKEN'),
    clientKey: read('PROOFSHEET_KEY'),
    compress: need('COMPRESS'),
    logLevel: need('LOG_LEVEL'),
    dataDir,
    database,
    databasePool: Object.freeze({
      connections: need('DATABASE_POOL'),
      waitMs: need('DATABASE_WAIT'),
      statementMs: need('DATABASE_TIMEOUT'),
    }),
    images,
    s3: Object.freeze({ timeoutMs: need('IMAGES_TIMEOUT'), publicUrl, signedHost }),
    signingKeys: parseKeys('SIGNING_KEYS', keys.signingKeys, parseSigningKeys),
    secretKeys: parseKeys('SECRET_KEYS', keys.secretKeys, parseSecretKeys),
    signingWindowMs: need('SIGNING_WINDOW'),
    capture: Object.freeze({
      chromiumPath: read('CHROMIUM_PATH'),
      concurrency: read('CAPTURE_CONCURRENCY') ?? availableParallelism(),
      allow: read('CAPTURE_ALLOW') ?? NOTHING,
      deny: read('CAPTURE_DENY') ?? NOTHING_DENIED,
      env: Object.fromEntries(BROWSER_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    }),
    scheduleSpreadMs: need('SCHEDULE_SPREAD'),
    webhooks: Object.freeze({
      allow: read('WEBHOOK_ALLOW') ?? NOTHING,
      most: need('MAX_WEBHOOKS'),
      keepMs: need('KEEP_DELIVERIES'),
      mostDeliveries: need('MAX_DELIVERIES'),
    }),
    limits: readLimits(need),
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(config)
}

/** A variable that is not a setting: the command line names it. */
export function readVariable(name: string): string | undefined {
  return process.env[name]
}

/** A storage address without its password, which is before the last @ or among the parameters. */
export function withoutPassword(address: string): string {
  return address.replace(/^(\w*:?\/*).*@/, '$1…@').replace(/\?.*/, '?…')
}

interface Given {
  readonly database: DatabaseLocation
  readonly images: ImagesLocation
  readonly signingKeys: string | undefined
  readonly secretKeys: string | undefined
}

/** Instances that share a database must share their keys. Returns a sentence for each list of keys that is missing. */
function findMissingKeys(
  { database, images, signingKeys, secretKeys }: Given,
  { serving, capturing }: { serving: boolean; capturing: boolean },
): string[] {
  if (database.kind !== 'postgres') return []
  const missing: string[] = []
  if (serving && images.kind === 'folder' && signingKeys === undefined)
    missing.push(`SIGNING_KEYS is required with PostgreSQL and pictures in a folder: ${HOW}`)
  if (capturing && secretKeys === undefined) missing.push(`SECRET_KEYS is required with PostgreSQL: ${HOW}`)
  return missing
}

const HOW =
  'all instances must use the same keys. Create a key once and give it to each instance: echo k1:$(openssl rand -base64 32)'

/** The hosts of the service, from its settings. */
export function ownHostsOf({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string[] {
  return publicUrl === undefined ? [host] : [host, new URL(publicUrl).hostname]
}
