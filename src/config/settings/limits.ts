import { duration, integer } from '../values.ts'
import type { Settings } from './setting.ts'

/** What one answer, one client or all of them may take. */
export const limits = {
  MAX_BODY_BYTES: {
    type: 'number',
    default: '1048576',
    example: '100000',
    help: 'Largest request body.',
    parse: integer(1_000, 100_000_000),
  },
  MAX_BODIES_BYTES: {
    type: 'number',
    default: '67108864',
    example: '268435456',
    help: 'Memory for request bodies, all at once; a client has a quarter of it. Further ones wait in line, and are answered 429 where too many of a client do.',
    parse: integer(1_000, 16_000_000_000),
  },
  MAX_UNREAD_BYTES: {
    type: 'number',
    default: '134217728',
    example: '268435456',
    help: 'Memory for answers that wait for their reader, all at once; a client has a quarter of it, and then waits for its own readers.',
    parse: integer(1_000_000, 16_000_000_000),
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
    help: 'Connections open at once. At that many an idle one of the address that has most gives way to a new one.',
    parse: integer(1, 1_000_000),
  },
  MAX_STREAMS_PER_CLIENT: {
    type: 'number',
    default: '1000',
    example: '100',
    help: 'Answers that wait for news (`/events`, `?wait=`) which each API key (or client address, where no key is asked) may have open; more are answered 429.',
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
    help: 'How long requests under way may take to finish after SIGTERM. A second later the process ends, whatever is left.',
    parse: duration('0s', '15m'),
  },
} satisfies Settings
