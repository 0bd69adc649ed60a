import { parseAllowList, parseDenyList } from '../../egress/allow-list.ts'
import { duration, integer, program, projectIds } from '../values.ts'
import type { Settings } from './setting.ts'

/** The browser, and the limits of a request. */
export const capturing = {
  CHROMIUM_PATH: {
    type: 'path',
    default: { words: 'the one that is found' },
    example: '/usr/bin/chromium',
    help: 'The browser that takes the pictures. Without it, proofsheet looks for one; `npx proofsheet browser` says which one it finds.',
    parse: program,
  },
  CAPTURE_CONCURRENCY: {
    type: 'number',
    default: { words: 'one for each core' },
    example: '4',
    help: 'Pages that this process captures at a time. 0: none; other processes do it (`npx proofsheet work`).',
    parse: integer(0, 64),
  },
  CAPTURE_ALLOW: {
    type: 'list',
    default: { words: 'none' },
    example: 'staging.internal:443,10.1.0.0/16',
    help: 'What captured pages may reach beyond the public internet: names, addresses and ranges, each with one port or for all ports.',
    parse: parseAllowList,
  },
  CAPTURE_DENY: {
    type: 'list',
    default: { words: 'none' },
    example: '45.33.32.156,[2600:3c01::/64]:443',
    help: 'Public addresses and ranges that captured pages may not reach, each with one port or for all ports. A name in `CAPTURE_ALLOW` is still allowed.',
    parse: parseDenyList,
  },
  EXPLAIN_TO: {
    type: 'list',
    default: { words: 'none; with `AUTH=open` everyone' },
    example: '0b8f9e52-6a0c-4b53-9f0e-2f1f3d3c7a11',
    help: 'Ids of projects, or `everyone`: their clients are told whether a page failed with `dns` or was `blocked`. All others are told `unreachable`, so that they cannot find out which names exist in your network.',
    parse: projectIds,
  },
  MAX_URLS_PER_REQUEST: {
    type: 'number',
    default: '100',
    example: '20',
    help: 'The most pages in one request.',
    parse: integer(1, 1_000),
  },
  MAX_PAGES_WAITING: {
    type: 'number',
    default: '10000',
    example: '1000',
    help: 'The most pages of one project that may wait to be captured. A request beyond that is answered 429.',
    parse: integer(1, 1_000_000),
  },
  MAX_PAGES_SCHEDULED: {
    type: 'number',
    default: '10000',
    example: '1000',
    help: 'The most pages of one project that may be scheduled for later (`scheduledTs`, `scheduleDescription`). A request beyond that is answered 429.',
    parse: integer(1, 1_000_000),
  },
  MAX_SCHEDULES: {
    type: 'number',
    default: '1000',
    example: '50',
    help: 'The most recurring schedules of one project.',
    parse: integer(1, 1_000_000),
  },
  MIN_SCHEDULE_INTERVAL: {
    type: 'duration',
    default: '1m',
    example: '15m',
    help: 'The shortest time between two runs of a recurring schedule.',
    parse: duration('1s', '1d'),
  },
  SCHEDULE_SPREAD: {
    type: 'duration',
    default: '30s',
    example: '5m',
    help: 'Schedules with the same times begin within this time, each of them always at the same place, and never later than a tenth of the time between two runs. 0s: all at once.',
    parse: duration('0s', '1h'),
  },
  MAX_LOADING_TIME: {
    type: 'duration',
    default: '100s',
    example: '30s',
    help: 'The longest `loadingTime` of a page.',
    parse: duration('1s', '10m'),
  },
  MAX_VIEWPORT_WIDTH: {
    type: 'number',
    default: '4096',
    example: '1920',
    help: 'The largest width of a window, in pixels.',
    parse: integer(1, 16_384),
  },
  MAX_VIEWPORT_HEIGHT: {
    type: 'number',
    default: '16384',
    example: '8000',
    help: 'The largest height of a window, in pixels. The picture of a longer page is cut there.',
    parse: integer(1, 16_384),
  },
  MAX_PAGE_BYTES: {
    type: 'number',
    default: '104857600',
    example: '20000000',
    help: 'The most bytes that one page may load while it is captured.',
    parse: integer(1_000, 10_000_000_000),
  },
  MAX_CAPTURE_BYTES: {
    type: 'number',
    default: '33554432',
    example: '10000000',
    help: 'The largest picture of a captured page, in bytes. Capturing a page needs about five times as much memory.',
    parse: integer(1_000, 1_000_000_000),
  },
} satisfies Settings
