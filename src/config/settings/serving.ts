import { parseSigningKeys } from '../../images/disk/signing-keys.ts'
import { parseSecretKeys } from '../../secrets/secret-keys.ts'
import { corsOrigins, hostName, httpAddress, rateLimit, secret } from '../values.ts'
import { choice, number, type Settings, time } from './setting.ts'

/** Listening, access and logging. */
export const serving = {
  HOST: {
    type: 'address',
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'The host name or address to listen on. Anything but a loopback address requires API keys.',
    parse: hostName,
  },
  PORT: {
    ...number(0, 65_535),
    default: '8080',
    example: '3000',
    help: 'The port to listen on. 0: any free port.',
  },
  PUBLIC_URL: {
    type: 'URL',
    default: { words: 'the host that the client names' },
    example: 'https://shots.example.com',
    help: 'The URL that clients use. URLs of pictures in a folder begin with it. Set it behind a proxy.',
    parse: httpAddress,
  },
  AUTH: {
    ...choice('open', 'keys', 'open-to-everyone'),
    default: { words: '`open` on loopback, else `keys`' },
    example: 'keys',
    help: '`keys`: an API key is required. `open`: no key, allowed on loopback only. `open-to-everyone`: no key on any address.',
  },
  SIGNING_KEYS: {
    type: 'keys',
    default: { words: 'created once, in `DATA_DIR/signing-keys`' },
    example: 'k2:<base64>,k1:<base64>',
    help: 'Keys that sign the URLs of pictures in a folder, each 32 bytes or more in base64. The first signs, all verify. Required for the service with PostgreSQL and a folder: all instances must use the same keys.',
    parse: parseSigningKeys,
  },
  SECRET_KEYS: {
    type: 'keys',
    default: { words: 'created once, in `DATA_DIR/secret-keys`' },
    example: 'k2:<base64>,k1:<base64>',
    help: 'Keys that encrypt passwords, headers and cookies (in requests, until their pages are captured; in templates and schedules), the secrets of webhooks, and browser sessions. Each has 32 bytes or more in base64. The first encrypts, all decrypt. Required for the service and `work` with PostgreSQL: all instances must use the same keys.',
    parse: parseSecretKeys,
  },
  SIGNING_WINDOW: {
    ...time('1m', '84h'),
    default: '12h',
    example: '1h',
    help: 'How long the URL of a picture stays the same. It is valid for one to two windows.',
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
    help: 'The most requests in a period from one API key, or from one network address without a valid key.',
    parse: rateLimit,
  },
  METRICS_TOKEN: {
    type: 'secret',
    default: { words: 'none' },
    example: 'a-long-random-text',
    help: 'The token that `/metrics` requires (`Authorization: Bearer …`). Without it, metrics are closed unless `AUTH=open`.',
    parse: secret,
  },
  PROOFSHEET_KEY: {
    type: 'secret',
    default: { words: 'none' },
    example: 'psk_…',
    help: 'For `capture --server`: the API key for that server.',
    parse: (text: string) => text,
  },
  COMPRESS: {
    ...choice('auto', 'always', 'never'),
    default: 'auto',
    example: 'never',
    help: 'Whether long answers are compressed for clients that accept it: `auto` (not for clients on this machine), `always` or `never`.',
  },
  LOG_LEVEL: {
    ...choice('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    example: 'warn',
    help: '`debug`, `info`, `warn`, `error` or `silent`.',
  },
} satisfies Settings
