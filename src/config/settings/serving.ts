import { corsOrigins, duration, hostName, httpAddress, integer, oneOf, rateLimit, secret } from '../values.ts'
import type { Settings } from './setting.ts'

/** Where it listens, who may ask, and what it says. */
export const serving = {
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
    help: 'Requests per time, for each API key (each client address where no key is asked, or none was right).',
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
} satisfies Settings
