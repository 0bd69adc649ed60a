import { resolve } from 'node:path'
import { databaseLocation, imagesLocation } from './locations.ts'
import { reachSettings } from './reach-settings.ts'
import {
  corsOrigins,
  duration,
  hostName,
  httpAddress,
  httpOrigin,
  integer,
  oneOf,
  program,
  rateLimit,
  secret,
} from './values.ts'

/** One variable of the environment: how the README describes it, and how its text becomes a value. */
export interface Setting<T> {
  readonly type: string
  /** What stands for an absent variable; in words where it is no text of its own. */
  readonly default: string | { readonly words: string }
  readonly example: string
  readonly help: string
  /** Throws an Error whose message completes the sentence "NAME …". */
  readonly parse: (text: string) => T
}

/** Every variable the service reads. The table in the README is this one. */
export const settings = {
  HOST: {
    type: 'address',
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Where to listen. Anything but a loopback address requires API keys.',
    parse: hostName,
  },
  PORT: {
    type: 'number',
    default: '8080',
    example: '3000',
    help: 'Port to listen on; 0 takes any free one.',
    parse: integer(0, 65_535),
  },
  DATA_DIR: {
    type: 'path',
    default: './data',
    example: '/var/lib/proofsheet',
    help: 'The folder that holds everything not placed elsewhere.',
    parse: (text: string) => resolve(text),
  },
  DATABASE_URL: {
    type: 'address',
    default: { words: '`sqlite:` in `DATA_DIR`' },
    example: 'postgres://proofsheet@db.internal/proofsheet',
    help: 'Where projects, roots, jobs and keys are kept: `sqlite:path` or `postgres://…`, with its TLS parameters.',
    parse: databaseLocation,
  },
  DATABASE_POOL: {
    type: 'number',
    default: '10',
    example: '30',
    help: 'PostgreSQL: connections that one process opens at most.',
    parse: integer(1, 1_000),
  },
  DATABASE_WAIT: {
    type: 'duration',
    default: '3s',
    example: '500ms',
    help: 'PostgreSQL: how long a request waits for a connection before it is answered 503.',
    parse: duration('10ms', '5m'),
  },
  DATABASE_TIMEOUT: {
    type: 'duration',
    default: '10s',
    example: '2s',
    help: 'PostgreSQL: how long one statement may take before it is given up and answered 503.',
    parse: duration('10ms', '1h'),
  },
  IMAGES_URL: {
    type: 'address',
    default: { words: '`file:` in `DATA_DIR`' },
    example: 's3://shots?region=eu-central-1',
    help: 'Where pictures lie: `file:path` or `s3://bucket/prefix?endpoint=…&region=…&style=path` (or `virtual`).',
    parse: imagesLocation,
  },
  IMAGES_TIMEOUT: {
    type: 'duration',
    default: '30s',
    example: '10s',
    help: 'S3: how long one request may take, with its repetitions, before it is given up; longer for what has to be sent, by its size.',
    parse: duration('10ms', '15m'),
  },
  IMAGES_PUBLIC_URL: {
    type: 'address',
    default: { words: "the bucket's own" },
    example: 'https://cdn.example.com',
    help: 'S3: the host that image addresses name instead, where a CDN or a proxy stands before the bucket.',
    parse: httpOrigin,
  },
  IMAGES_SIGNED_HOST: {
    type: 'choice',
    default: 'bucket',
    example: 'public',
    help: 'S3: which host a signature names. `bucket` where a CDN asks the bucket under its own name, `public` where a proxy passes on the host it was asked for.',
    parse: oneOf('bucket', 'public'),
  },
  PUBLIC_URL: {
    type: 'address',
    default: { words: 'as the client asked' },
    example: 'https://shots.example.com',
    help: 'How clients reach the service; addresses of pictures in a folder begin with it. Set it behind a proxy.',
    parse: httpAddress,
  },
  AUTH: {
    type: 'choice',
    default: { words: '`open` on loopback, else `keys`' },
    example: 'keys',
    help: '`keys` asks for an API key, `open` does not (loopback only), `open-to-everyone` does not anywhere.',
    parse: oneOf('open', 'keys', 'open-to-everyone'),
  },
  SIGNING_KEYS: {
    type: 'list',
    default: { words: 'made once, in `DATA_DIR/signing-keys`' },
    example: 'k2:<base64>,k1:<base64>',
    help: 'Keys that sign addresses of pictures in a folder, each 32 bytes or more in base64. The first signs, all verify. Required to serve with PostgreSQL and a folder, where instances must agree.',
    parse: (text: string) => text,
  },
  SIGNING_WINDOW: {
    type: 'duration',
    default: '12h',
    example: '1h',
    help: 'How long an image address stays the same; it is valid for one to two windows.',
    parse: duration('1m', '84h'),
  },
  CORS_ORIGINS: {
    type: 'list',
    default: { words: 'none' },
    example: 'https://app.example.com',
    help: 'Web origins whose pages may read the API.',
    parse: corsOrigins,
  },
  RATE_LIMIT: {
    type: 'rate',
    default: { words: 'none' },
    example: '600/1m',
    help: 'Requests per time, for each API key (each client address where no key is asked).',
    parse: rateLimit,
  },
  METRICS_TOKEN: {
    type: 'secret',
    default: { words: 'none' },
    example: 'a-long-random-text',
    help: 'What `/metrics` asks for (`Authorization: Bearer …`). Without it, metrics are closed, but for `AUTH=open`.',
    parse: secret,
  },
  PROOFSHEET_KEY: {
    type: 'secret',
    default: { words: 'none' },
    example: 'psk_…',
    help: 'For `capture --server`: the API key that the server asks for.',
    parse: (text: string) => text,
  },
  COMPRESS: {
    type: 'choice',
    default: 'auto',
    example: 'never',
    help: 'Whether long answers are compressed for clients that ask: `auto` (not for those on this machine), `always` or `never`.',
    parse: oneOf('auto', 'always', 'never'),
  },
  LOG_LEVEL: {
    type: 'choice',
    default: 'info',
    example: 'warn',
    help: '`debug`, `info`, `warn`, `error` or `silent`.',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  CHROMIUM_PATH: {
    type: 'path',
    default: { words: 'the one that is found' },
    example: '/usr/bin/chromium',
    help: 'The browser that takes the pictures. Without it one is looked for; `npx proofsheet browser` says which one is found.',
    parse: program,
  },
  CAPTURE_CONCURRENCY: {
    type: 'number',
    default: { words: 'one for each core' },
    example: '4',
    help: 'Pages captured at a time by this process. 0: none; others do the work (`npx proofsheet work`).',
    parse: integer(0, 64),
  },
  ...reachSettings,
  MAX_URLS_PER_REQUEST: {
    type: 'number',
    default: '100',
    example: '20',
    help: 'Most pages that one request may ask for.',
    parse: integer(1, 1_000),
  },
  MAX_LOADING_TIME: {
    type: 'duration',
    default: '100s',
    example: '30s',
    help: 'Longest `loadingTime` that a request may give a page.',
    parse: duration('1s', '10m'),
  },
  MAX_VIEWPORT_WIDTH: {
    type: 'number',
    default: '4096',
    example: '1920',
    help: 'Widest window that a request may ask for, in pixels.',
    parse: integer(1, 16_384),
  },
  MAX_VIEWPORT_HEIGHT: {
    type: 'number',
    default: '16384',
    example: '8000',
    help: 'Tallest window that a request may ask for, and where the picture of a longer page is cut.',
    parse: integer(1, 16_384),
  },
  MAX_PAGE_BYTES: {
    type: 'number',
    default: '104857600',
    example: '20000000',
    help: 'Most bytes that one page may load while it is captured.',
    parse: integer(1_000, 10_000_000_000),
  },
  MAX_BODY_BYTES: {
    type: 'number',
    default: '1048576',
    example: '100000',
    help: 'Largest request body.',
    parse: integer(1_000, 100_000_000),
  },
  PAGE_LIMIT: {
    type: 'number',
    default: '100',
    example: '50',
    help: 'Largest `?limit=` of a page, and the size of a page where there is no complete answer to ask for.',
    parse: integer(1, 100),
  },
  MAX_JOBS_PER_ROOT: {
    type: 'number',
    default: '10000',
    example: '500',
    help: 'Most pictures one imported root may hold.',
    parse: integer(1, 10_000),
  },
  MAX_PICTURE_BYTES: {
    type: 'number',
    default: '104857600',
    example: '20000000',
    help: 'Largest picture file that is imported.',
    parse: integer(1_000, 1_000_000_000),
  },
  MAX_PICTURE_PIXELS: {
    type: 'number',
    default: '67108864',
    example: '20000000',
    help: 'Largest width × height of an imported picture.',
    parse: integer(1, 268_402_689),
  },
  CACHE_BYTES: {
    type: 'number',
    default: '33554432',
    example: '268435456',
    help: 'Memory for results that were made and may be asked for again. 0: none.',
    parse: integer(0, 16_000_000_000),
  },
  MAX_CONNECTIONS: {
    type: 'number',
    default: '10000',
    example: '500',
    help: 'Connections open at once; more are refused.',
    parse: integer(1, 1_000_000),
  },
  REQUEST_TIMEOUT: {
    type: 'duration',
    default: '30s',
    example: '10s',
    help: 'How long a request may take to arrive.',
    parse: duration('1s', '10m'),
  },
  IDLE_TIMEOUT: {
    type: 'duration',
    default: '60s',
    example: '20s',
    help: 'How long a connection may move no byte.',
    parse: duration('100ms', '1h'),
  },
  RESPONSE_TIMEOUT: {
    type: 'duration',
    default: '15m',
    example: '2m',
    help: 'How long one answer may take in all, however slowly it is read.',
    parse: duration('100ms', '1d'),
  },
  SHUTDOWN_TIMEOUT: {
    type: 'duration',
    default: '30s',
    example: '5s',
    help: 'How long requests under way may take to finish after SIGTERM.',
    parse: duration('0s', '15m'),
  },
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type SettingValue<N extends SettingName> = ReturnType<(typeof settings)[N]['parse']>
