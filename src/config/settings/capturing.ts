import { parseAllowList, parseDenyList } from '../../egress/allow-list.ts'
import { program, projectIds } from '../values.ts'
import { number, type Settings, time } from './setting.ts'

/** The browser, and the limits of a request. */
export const capturing = {
  CHROMIUM_PATH: {
    type: 'path',
    default: { words: 'the first one that is found' },
    example: '/usr/bin/chromium',
    help: 'The browser that takes the pictures. Without it, proofsheet looks for one; `npx proofsheet browser` says which one it finds.',
    parse: program,
  },
  CAPTURE_CONCURRENCY: {
    ...number(0, 64),
    default: { words: 'one for each core' },
    example: '4',
    help: 'Pages that this process captures at a time. 0: none; other processes capture (`npx proofsheet work`).',
  },
  CAPTURE_ALLOW: {
    type: 'list',
    default: { words: 'none' },
    example: 'staging.internal:443,10.1.0.0/16',
    help: 'Hosts that captured pages may reach beyond the public internet: names, addresses and ranges, each with one port or for all ports.',
    parse: parseAllowList,
  },
  CAPTURE_DENY: {
    type: 'list',
    default: { words: 'none' },
    example: '45.33.32.156,[2600:3c01::/64]:443',
    help: 'Public addresses and ranges that captured pages may not reach, each with one port or for all ports. A name in `CAPTURE_ALLOW` is still allowed.',
    parse: parseDenyList,
  },
  WEBHOOK_ALLOW: {
    type: 'list',
    default: { words: 'none' },
    example: 'hooks.internal:443,10.1.0.0/16',
    help: 'Hosts that webhooks may reach beyond the public internet: names, addresses and ranges, each with one port or for all ports. Addresses in `CAPTURE_DENY` are closed to webhooks, too, unless a name in this list leads to them.',
    parse: parseAllowList,
  },
  EXPLAIN_TO: {
    type: 'list',
    default: { words: 'none; with `AUTH=open` everyone' },
    example: '0b8f9e52-6a0c-4b53-9f0e-2f1f3d3c7a11',
    help: 'Ids of projects, or `everyone`: their clients see whether a page failed with `dns` or was `blocked`. All others see `unreachable`, so that they cannot find out which names exist in your network.',
    parse: projectIds,
  },
  MAX_URLS_PER_REQUEST: {
    ...number(1, 1_000),
    default: '100',
    example: '20',
    help: 'The most pages in one request.',
  },
  MAX_PAGES_WAITING: {
    ...number(1, 1_000_000),
    default: '10000',
    example: '1000',
    help: 'The most pages of one project that may wait to be captured. Further requests are answered with 429.',
  },
  MAX_PAGES_SCHEDULED: {
    ...number(1, 1_000_000),
    default: '10000',
    example: '1000',
    help: 'The most pages of one project that may be scheduled for later (`scheduledTs`, `scheduleDescription`). Further requests are answered with 429.',
  },
  MAX_SCHEDULES: {
    ...number(1, 1_000_000),
    default: '1000',
    example: '50',
    help: 'The most recurring schedules of one project.',
  },
  MIN_SCHEDULE_INTERVAL: {
    ...time('1s', '1d'),
    default: '1m',
    example: '15m',
    help: 'The shortest time between two runs of a recurring schedule.',
  },
  SCHEDULE_SPREAD: {
    ...time('0s', '1h'),
    default: '30s',
    example: '5m',
    help: 'The starts of schedules that are due at the same moment are spread over this period. The delay of a schedule is always the same, and at most a tenth of the time between two runs. 0s: all at once.',
  },
  MAX_LOADING_TIME: {
    ...time('1s', '10m'),
    default: '100s',
    example: '30s',
    help: 'The longest `loadingTime` of a page.',
  },
  MAX_VIEWPORT_WIDTH: {
    ...number(1, 16_384),
    default: '4096',
    example: '1920',
    help: 'The largest width of a window, in pixels.',
  },
  MAX_VIEWPORT_HEIGHT: {
    ...number(1, 16_384),
    default: '16384',
    example: '8000',
    help: 'The largest height of a window, in pixels. The picture of a longer page is cut there.',
  },
  MAX_PAGE_BYTES: {
    ...number(1_000, 10_000_000_000),
    default: '104857600',
    example: '20000000',
    help: 'The most bytes that one page may load while it is captured.',
  },
  MAX_CAPTURE_BYTES: {
    ...number(1_000, 1_000_000_000),
    default: '33554432',
    example: '10000000',
    help: 'The largest picture of a captured page, in bytes. Capturing a page needs about five times as much memory.',
  },
} satisfies Settings
