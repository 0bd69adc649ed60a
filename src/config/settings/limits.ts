import { duration, integer } from '../values.ts'
import type { Settings } from './setting.ts'

/** What one answer, one client, or all clients may use. */
export const limits = {
  MAX_BODY_BYTES: {
    type: 'number',
    default: '1048576',
    example: '100000',
    help: 'The largest request body, in bytes.',
    parse: integer(1_000, 100_000_000),
  },
  MAX_BODIES_BYTES: {
    type: 'number',
    default: '67108864',
    example: '268435456',
    help: 'Memory for all request bodies together. One client may use a quarter of it. Further requests wait; if too many of one client wait, they are answered 429.',
    parse: integer(1_000, 16_000_000_000),
  },
  MAX_UNREAD_BYTES: {
    type: 'number',
    default: '134217728',
    example: '268435456',
    help: 'Memory for all answers that are not read yet. One client may use a quarter of it; its further answers wait.',
    parse: integer(1_000_000, 16_000_000_000),
  },
  PAGE_LIMIT: {
    type: 'number',
    default: '100',
    example: '50',
    help: 'The largest `?limit=`. Also the number of items of lists that are only given in pages.',
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
    help: 'Largest width × height of a picture: imported, captured, or while it is finished (`area`, `style`, `effects`).',
    parse: integer(1, 268_402_689),
  },
  CACHE_BYTES: {
    type: 'number',
    default: '33554432',
    example: '268435456',
    help: 'Memory for rendered results that may be asked for again. 0: none.',
    parse: integer(0, 16_000_000_000),
  },
  MAX_CONNECTIONS: {
    type: 'number',
    default: '10000',
    example: '500',
    help: 'The most open connections. At the limit, a new one replaces an idle one of the address with most connections.',
    parse: integer(1, 1_000_000),
  },
  MAX_STREAMS_PER_CLIENT: {
    type: 'number',
    default: '1000',
    example: '100',
    help: 'The most answers that wait for news (`/events`, `?wait=`) for each API key, or for each client address where no key is required. More are answered 429.',
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
    help: 'How long a connection may be open without any byte.',
    parse: duration('100ms', '1h'),
  },
  RESPONSE_TIMEOUT: {
    type: 'duration',
    default: '15m',
    example: '2m',
    help: 'How long one answer may take in all, also if the client reads slowly.',
    parse: duration('100ms', '1d'),
  },
  SHUTDOWN_TIMEOUT: {
    type: 'duration',
    default: '30s',
    example: '5s',
    help: 'How long requests may take to finish after SIGTERM. A second later the process ends in any case.',
    parse: duration('0s', '15m'),
  },
} satisfies Settings
