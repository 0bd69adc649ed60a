import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { JobResult } from '../../../src/contract/results.ts'
import { COMPARISONS, type Comparison, toHistory } from '../addresses.ts'
import { Stage } from '../compare/stage.tsx'
import { Timeline } from '../compare/timeline.tsx'
import { type Difference, useDifference } from '../compare/use-difference.ts'
import { go } from '../navigation.ts'
import { Choice } from '../parts/choice.tsx'
import { Page } from '../parts/page.tsx'
import { RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'
import { percent, shortAddress, shortDay, timeOfDay } from '../words.ts'

const PAGE = 60

const NAMES: Record<Comparison, string> = {
  slider: 'Slider',
  difference: 'Difference',
  beside: 'Side by side',
}

/** One page through time. */
export function HistoryView({
  projectId,
  url,
  before: beforeId,
  after: afterId,
  width,
  compare,
}: {
  projectId: string
  url: string
  before: string
  after: string
  width: number
  compare: Comparison
}) {
  const history = useListing(
    `history ${projectId} ${url}`,
    () => client.listHistory(projectId, url, { limit: atATime(PAGE) }),
    (job: JobResult) => job.preview,
  )
  const widths = [...new Set(history.items.map(({ screenshotParameter }) => screenshotParameter.width))]
  const items = useMemo(
    () =>
      history.items.filter(({ screenshotParameter }) => width === 0 || screenshotParameter.width === width),
    [history.items, width],
  )
  // What is not there is as good as not named, once all that is there was seen.
  const given = (id: string) => id !== '' && !history.complete
  const after = items.find(({ uuid }) => uuid === afterId) ?? (given(afterId) ? undefined : items[0])
  const before =
    items.find(({ uuid }) => uuid === beforeId) ??
    (!given(beforeId) && after ? findBefore(items, after) : undefined)
  const missing = (afterId !== '' && !after) || (beforeId !== '' && !before)
  // What the address names may be older than what was asked for yet.
  useEffect(() => {
    if (missing) history.more()
  }, [missing, history, items])
  const difference = useDifference(before, after)
  const onEnd = useCallback(() => history.more(), [history])
  const renew = useCallback(() => history.renewUnlessJustDone(), [history])
  const show = (choice: { before?: string; after?: string; width?: number; compare?: Comparison }) => {
    const now = { before: before?.uuid ?? '', after: after?.uuid ?? '', width, compare }
    go(toHistory(projectId, url, { ...now, ...choice }), { replace: true })
  }
  const [latest] = history.items
  const name = latest ? latest.url.name || shortAddress(url) : ''
  return (
    <Page title={name} projectId={projectId}>
      <div class="heading">
        <div>
          <h1 dir="auto">{name}</h1>
          <p class="address" dir="ltr">
            {url}
          </p>
        </div>
        {before && after && <Verdict difference={difference} before={before} after={after} />}
      </div>
      {history.failure !== undefined && <Problem failure={history.failure} retry={() => history.retry()} />}
      {items.length === 0 && history.reading && <Waiting />}
      {history.complete && history.items.length === 0 && (
        <p class="empty">There is no picture of this address.</p>
      )}
      {widths.length > 1 && (
        <Choice
          legend="Which pictures"
          choices={[
            [0, 'All sizes'],
            ...widths.toSorted((a, b) => b - a).map((each) => [each, `${each} wide`] as const),
          ]}
          chosen={width}
          onChoose={(each) => show({ width: each, before: '', after: '' })}
        />
      )}
      <RenewContext.Provider value={renew}>
        {items.length > 0 && (
          <Timeline
            jobs={items}
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
      {items.length === 1 && history.complete && (
        <p class="empty">There is one picture of this page so far. With the next one you can compare.</p>
      )}
    </Page>
  )
}

/** The last one before it of the same width, else the last one before it at all. */
function findBefore(jobs: readonly JobResult[], after: JobResult): JobResult | undefined {
  const older = jobs.slice(jobs.indexOf(after) + 1)
  const { width } = after.screenshotParameter
  return older.find(({ screenshotParameter }) => screenshotParameter.width === width) ?? older[0]
}

function Verdict({
  difference,
  before,
  after,
}: {
  difference: Difference
  before: JobResult
  after: JobResult
}) {
  const when = ({ meta }: JobResult) => `${shortDay(meta.created)}, ${timeOfDay(meta.created)}`
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
