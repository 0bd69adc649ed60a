import { resolve } from 'node:path'
import {
  corsOrigins,
  duration,
  hostName,
  httpAddress,
  integer,
  location,
  oneOf,
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
    example: 'sqlite:///srv/proofsheet.db',
    help: 'Where projects, roots, jobs and keys are kept.',
    parse: location('sqlite', 'SQLite is the one database this version knows'),
  },
  IMAGES_URL: {
    type: 'address',
    default: { words: '`file:` in `DATA_DIR`' },
    example: 'file:///srv/pictures',
    help: 'Where pictures lie.',
    parse: location('file', 'a folder is the one image store this version knows'),
  },
  PUBLIC_URL: {
    type: 'address',
    default: { words: 'as the client asked' },
    example: 'https://shots.example.com',
    help: 'How clients reach the service; image addresses begin with it. Set it behind a proxy.',
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
    help: 'Keys that sign image addresses, each 32 bytes or more in base64. The first signs, all verify.',
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
    help: 'What `/metrics` asks for (`Authorization: Bearer …`). Without it, metrics are closed where API keys are required.',
    parse: secret,
  },
  LOG_LEVEL: {
    type: 'choice',
    default: 'info',
    example: 'warn',
    help: '`debug`, `info`, `warn`, `error` or `silent`.',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  PAGE_LIMIT: {
    type: 'number',
    default: '100',
    example: '50',
    help: 'Largest `?limit=` of a page of roots.',
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
