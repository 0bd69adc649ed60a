import { useEffect, useMemo } from 'preact/hooks'
import type { JobOverview } from '../../../src/contract/browsing.ts'
import type { Listing } from '../listing.ts'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { chooseSeries, type Series, seriesOf } from './series.ts'

const PAGE = 60

export interface Shown {
  /** All of the page, as far as it was read: what series there are. */
  readonly all: Listing<JobOverview>
  /** Undefined as long as nothing was read that tells. */
  readonly series: Series | undefined
  /** Of the series, newest first. */
  readonly items: readonly JobOverview[]
  /** There are no others of the series. */
  readonly complete: boolean
  /** Where they are read from. */
  readonly source: Listing<JobOverview>
}

/**
 * The pictures of a page that are alike. A short history is read as a whole. Of a long one a series is asked for by
 * itself: it may have few pictures among very many.
 */
export function useSeries(projectId: string, url: string, named: { series: string; picture: string }): Shown {
  const whole = `history ${projectId} ${url}`
  const all = useListing<JobOverview>(
    whole,
    () => client.listHistory(projectId, url, { limit: atATime(PAGE) }),
    ({ preview }) => preview,
  )
  // Less than was asked for is all that there is.
  const isLong = all.items.length >= atATime(PAGE)
  const complete = all.complete || (all.items.length > 0 && !isLong)
  const series = useMemo(
    () => chooseSeries(all.items, { ...named, complete }),
    [all.items, complete, named.series, named.picture],
  )
  // What the address names may be older than what was read yet.
  useEffect(() => {
    if (!series) all.more()
  }, [series, all, all.items])
  const { view } = series ?? {}
  const asked = isLong && view && { fullPage: view.fullPage, width: view.width }
  const alone = useListing<JobOverview>(
    asked ? `${whole} ${JSON.stringify(asked)}` : whole,
    () => client.listHistory(projectId, url, { limit: atATime(PAGE), ...asked }),
    ({ preview }) => preview,
  )
  const source = alone.items.length > 0 || alone.failure !== undefined ? alone : all
  const items = useMemo(
    () => source.items.filter((job) => seriesOf(job).name === series?.name),
    [source.items, series?.name],
  )
  return { all, series, items, complete: complete || alone.complete, source: alone }
}
