import { useEffect, useMemo } from 'preact/hooks'
import type { JobOverview } from '../../../src/contract/browsing.ts'
import type { Listing } from '../listing.ts'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { chooseSeries, type Series, seriesOf } from './series.ts'

const PAGE = 60

export interface Shown {
  /** All pictures of the page, as far as they were read. */
  readonly all: Listing<JobOverview>
  /** Undefined until it is known. */
  readonly series: Series | undefined
  /** The pictures of the series, newest first. */
  readonly items: readonly JobOverview[]
  /** All pictures of the series were read. */
  readonly complete: boolean
  /** The list they come from. */
  readonly source: Listing<JobOverview>
}

/**
 * The pictures of one series of a page. A short history is read completely. In a long one, only the series is requested:
 * it may have few pictures among very many.
 */
export function useSeries(projectId: string, url: string, named: { series: string; picture: string }): Shown {
  const whole = `history ${projectId} ${url}`
  const all = useListing<JobOverview>(
    whole,
    () => client.listHistory(projectId, url, { limit: atATime(PAGE) }),
    ({ preview }) => preview,
  )
  // Fewer than requested: this is all.
  const isLong = all.items.length >= atATime(PAGE)
  const complete = all.complete || (all.items.length > 0 && !isLong)
  const series = useMemo(
    () => chooseSeries(all.items, { ...named, complete }),
    [all.items, complete, named.series, named.picture],
  )
  // The named picture may be older than those that were read so far: read more.
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
