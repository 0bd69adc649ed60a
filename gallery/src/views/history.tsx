import { useCallback, useEffect } from 'preact/hooks'
import type { JobOverview } from '../../../src/contract/browsing.ts'
import { shortAddress } from '../../../src/contract/page-lines.ts'
import { COMPARISONS, type Comparison, toHistory } from '../addresses.ts'
import { describeSeries, listSeries } from '../compare/series.ts'
import { Stage } from '../compare/stage.tsx'
import { Timeline } from '../compare/timeline.tsx'
import { type Difference, useDifference } from '../compare/use-difference.ts'
import { useSeries } from '../compare/use-series.ts'
import { go } from '../navigation.ts'
import { Choice } from '../parts/choice.tsx'
import { Layout } from '../parts/layout.tsx'
import { RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { percent, shortDay, timeOfDay } from '../words.ts'

const NAMES: Record<Comparison, string> = {
  slider: 'Slider',
  difference: 'Difference',
  beside: 'Side by side',
}

/** One page over time: pictures that can be compared. */
export function HistoryView({
  projectId,
  url,
  before: beforeId,
  after: afterId,
  series: named,
  compare,
}: {
  projectId: string
  url: string
  before: string
  after: string
  series: string
  compare: Comparison
}) {
  const { all, series, items, complete, source } = useSeries(projectId, url, {
    series: named,
    picture: afterId || beforeId,
  })
  // If the named picture is not in the complete list, it is ignored.
  const given = (id: string) => id !== '' && !complete
  const after = items.find(({ uuid }) => uuid === afterId) ?? (given(afterId) ? undefined : items[0])
  const before =
    items.find(({ uuid }) => uuid === beforeId) ??
    (!given(beforeId) && after ? items[items.indexOf(after) + 1] : undefined)
  const missing = (afterId !== '' && !after) || (beforeId !== '' && !before)
  // The named picture may be older than those that were read so far: read more.
  useEffect(() => {
    if (series && missing) source.more()
  }, [missing, series, source, items, source.items])
  const difference = useDifference(before, after)
  const onEnd = useCallback(() => {
    source.more()
    // Another series may have only old pictures.
    all.more()
  }, [source, all])
  const renew = useCallback(async () => {
    await Promise.all([...new Set([source, all])].map((each) => each.renewUnlessJustDone()))
  }, [source, all])
  const show = (choice: { before?: string; after?: string; series?: string; compare?: Comparison }) => {
    const now = {
      before: before?.uuid ?? '',
      after: after?.uuid ?? '',
      series: series?.name ?? named,
      compare,
    }
    go(toHistory(projectId, url, { ...now, ...choice }), { replace: true })
  }
  const [latest] = all.items
  const choices = listSeries(all.items)
  const failure = all.failure ?? source.failure
  const name = latest ? latest.url.name || shortAddress(url) : ''
  return (
    <Layout title={name} projectId={projectId}>
      <div class="heading">
        <div>
          <h1 dir="auto">{name}</h1>
          <p class="address" dir="ltr">
            {url}
          </p>
        </div>
        {before && after && <Verdict difference={difference} before={before} after={after} />}
      </div>
      {failure !== undefined && (
        <Problem failure={failure} retry={() => (all.failure === undefined ? source : all).retry()} />
      )}
      {items.length === 0 && all.reading && <Waiting />}
      {all.complete && all.items.length === 0 && <p class="empty">There is no picture of this address.</p>}
      {series && choices.length > 1 && (
        <Choice
          legend="Which pictures"
          choices={choices.map((each) => [each.name, describeSeries(each, choices)])}
          chosen={series.name}
          onChoose={(name) => show({ series: name, before: '', after: '' })}
        />
      )}
      <RenewContext.Provider value={renew}>
        {items.length > 0 && (
          <Timeline
            key={series?.name}
            jobs={items}
            read={source.items.length}
            before={before?.uuid ?? beforeId}
            after={after?.uuid ?? afterId}
            onBefore={({ uuid }) => show({ before: uuid })}
            onAfter={({ uuid }) => show({ after: uuid })}
            onEnd={onEnd}
          />
        )}
        {before && after && (
          <>
            <Choice
              legend="How to compare"
              choices={COMPARISONS.map((each) => [each, NAMES[each]])}
              chosen={compare}
              onChoose={(each) => show({ compare: each })}
            />
            <Stage before={before} after={after} compare={compare} difference={difference} />
          </>
        )}
      </RenewContext.Provider>
      {items.length === 1 && complete && (
        <p class="empty">
          There is only one picture of this {choices.length > 1 ? 'kind' : 'page'}. With a second one you can
          compare.
        </p>
      )}
    </Layout>
  )
}

function Verdict({
  difference,
  before,
  after,
}: {
  difference: Difference
  before: JobOverview
  after: JobOverview
}) {
  const when = ({ meta }: JobOverview) => `${shortDay(meta.created)}, ${timeOfDay(meta.created)}`
  return (
    <p class="verdict" role="status">
      <strong>
        {difference.state === 'measured' && `${percent(difference.share)} different`}
        {difference.state === 'measuring' && 'Comparing…'}
        {difference.state === 'failed' && 'Not compared'}
      </strong>
      {difference.state === 'failed' && <span class="soft">{difference.mistake}</span>}
      <span class="soft">
        {when(before)} → {when(after)}
      </span>
    </p>
  )
}
