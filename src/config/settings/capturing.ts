import { parseAllowList, parseDenyList } from '../../egress/allow-list.ts'
import { duration, integer, program, projectIds } from '../values.ts'
import type { Settings } from './setting.ts'

/** What takes the pictures, and what a request may ask of it. */
export const capturing = {
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
  CAPTURE_ALLOW: {
    type: 'list',
    default: { words: 'none' },
    example: 'staging.internal:443,10.1.0.0/16',
    help: 'What captured pages may reach beyond the public internet: names, addresses and ranges, each with a port or for any.',
    parse: parseAllowList,
  },
  CAPTURE_DENY: {
    type: 'list',
    default: { words: 'none' },
    example: '45.33.32.156,[2600:3c01::/64]:443',
    help: 'What captured pages may not reach though it looks public: addresses and ranges, each with a port or for any. A name that `CAPTURE_ALLOW` permits is visited all the same.',
    parse: parseDenyList,
  },
  EXPLAIN_TO: {
    type: 'list',
    default: { words: 'none; with `AUTH=open` everyone' },
    example: '0b8f9e52-6a0c-4b53-9f0e-2f1f3d3c7a11',
    help: 'Projects that are told whether a page failed by `dns` or was `blocked`, or `everyone`. To all others both are `unreachable`: they must not learn which names exist in your network.',
    parse: projectIds,
  },
  MAX_URLS_PER_REQUEST: {
    type: 'number',
    default: '100',
    example: '20',
    help: 'Most pages that one request may ask for.',
    parse: integer(1, 1_000),
  },
  MAX_PAGES_WAITING: {
    type: 'number',
    default: '10000',
    example: '1000',
    help: 'Most pages of one project that may wait to be captured; a request beyond that is answered 429.',
    parse: integer(1, 1_000_000),
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
  MAX_CAPTURE_BYTES: {
    type: 'number',
    default: '33554432',
    example: '10000000',
    help: 'Largest picture of a captured page. It passes through the process some five times over on its way from the browser, so this bounds the memory that one page takes.',
    parse: integer(1_000, 1_000_000_000),
  },
} satisfies Settings
