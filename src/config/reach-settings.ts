import { parseAllowList, parseDenyList } from '../egress/allow-list.ts'
import type { Setting } from './settings.ts'
import { projectIds } from './values.ts'

/** What captured pages may reach, and who hears what became of that. */
export const reachSettings = {
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
} satisfies Record<string, Setting<unknown>>
