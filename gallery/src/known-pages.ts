import type { RootOverview } from '../../src/contract/browsing.ts'
import type { PageOptions } from '../../src/contract/capture-options.ts'
import { optionsOfPage } from '../../src/contract/options-of-page.ts'
import type { Seen } from '../../src/contract/seen.ts'
import type { RootStatus } from '../../src/contract/status.ts'

/** Everything that is known of a captured page, except its picture. */
export interface KnownPage {
  readonly seen: Seen | undefined
  readonly options: PageOptions | undefined
}

/** By the id of the picture. The status knows all pages, the overview the first ones. */
export function knownPages(
  overview: RootOverview | undefined,
  status: RootStatus | undefined,
): ReadonlyMap<string, KnownPage> {
  const known = new Map<string, KnownPage>()
  if (!status) {
    for (const { uuid, seen, view } of overview?.jobs ?? []) known.set(uuid, { seen, options: view })
    return known
  }
  const { options } = status
  for (const { uuid, seen, options: own } of status.urls) {
    if (uuid !== undefined) known.set(uuid, { seen, options: options && optionsOfPage(options, own) })
  }
  return known
}
