import { number, type Settings, time } from './setting.ts'

/** Limits for one answer, one client, or all clients. */
export const limits = {
  MAX_BODY_BYTES: {
    ...number(1_000, 100_000_000),
    default: '1048576',
    example: '100000',
    help: 'The largest request body, in bytes.',
  },
  MAX_BODIES_BYTES: {
    ...number(1_000, 16_000_000_000),
    default: '67108864',
    example: '268435456',
    help: 'Memory for all request bodies together. One client may use a quarter of it. Further requests wait; if too many of one client wait, they are answered with 429.',
  },
  MAX_UNREAD_BYTES: {
    ...number(1_000_000, 16_000_000_000),
    default: '134217728',
    example: '268435456',
    help: 'Memory for all answers that are not read yet. One client may use a quarter of it; its further answers wait.',
  },
  PAGE_LIMIT: {
    ...number(1, 100),
    default: '100',
    example: '50',
    help: 'The largest `?limit=`. Also the default limit of lists that are always paged.',
  },
  MAX_TEMPLATES: {
    ...number(1, 100_000),
    default: '1000',
    example: '100',
    help: 'The most templates of a project.',
  },
  MAX_JOBS_PER_ROOT: {
    ...number(1, 10_000),
    default: '10000',
    example: '500',
    help: 'The most pictures of one imported root.',
  },
  MAX_PICTURE_BYTES: {
    ...number(1_000, 1_000_000_000),
    default: '104857600',
    example: '20000000',
    help: 'The largest picture file that is imported, in bytes.',
  },
  MAX_PICTURE_PIXELS: {
    ...number(1, 268_402_689),
    default: '67108864',
    example: '20000000',
    help: 'The largest width × height of a picture, in pixels: imported, captured, or after a step of its finish (`area`, `style`, `effects`).',
  },
  MAX_WEBHOOKS: {
    ...number(1, 1_000),
    default: '20',
    example: '5',
    help: 'The most webhooks of a project.',
  },
  KEEP_DELIVERIES: {
    ...time('1h', '3650d'),
    default: '30d',
    example: '7d',
    help: 'How long deliveries of webhooks are kept, counted from their event. Pending ones stay.',
  },
  MAX_DELIVERIES: {
    ...number(1, 1_000_000),
    default: '10000',
    example: '1000',
    help: 'The most deliveries of a webhook that are kept. Older ones are removed, but pending ones stay.',
  },
  CACHE_BYTES: {
    ...number(0, 16_000_000_000),
    default: '33554432',
    example: '268435456',
    help: 'Memory for rendered results, in case they are requested again. 0: none.',
  },
  MAX_CONNECTIONS: {
    ...number(1, 1_000_000),
    default: '10000',
    example: '500',
    help: 'The most open connections. At the limit, a new one replaces an idle one of the address with the most connections.',
  },
  MAX_STREAMS_PER_CLIENT: {
    ...number(1, 1_000_000),
    default: '1000',
    example: '100',
    help: 'The most answers that wait for news (`/events`, `?wait=`) for each API key, or for each network address if no key is required. Further ones are answered with 429.',
  },
  REQUEST_TIMEOUT: {
    ...time('1s', '10m'),
    default: '30s',
    example: '10s',
    help: 'How long a request may take to arrive.',
  },
  IDLE_TIMEOUT: {
    ...time('100ms', '1h'),
    default: '60s',
    example: '20s',
    help: 'How long a connection may be open without sending or receiving a byte.',
  },
  RESPONSE_TIMEOUT: {
    ...time('100ms', '1d'),
    default: '15m',
    example: '2m',
    help: 'How long one answer may take in total, even if the client reads slowly.',
  },
  SHUTDOWN_TIMEOUT: {
    ...time('0s', '15m'),
    default: '30s',
    example: '5s',
    help: 'How long open requests may take after SIGTERM. A second later the process ends in any case.',
  },
} satisfies Settings
