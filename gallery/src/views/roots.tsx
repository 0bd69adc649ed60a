import { useCallback, useEffect, useRef } from 'preact/hooks'
import type { RootOverview } from '../../../src/contract/browsing.ts'
import { isFinal } from '../../../src/contract/states.ts'
import { toCapture, toRoot, toRoots } from '../addresses.ts'
import { type Filters, NO_FILTERS, toOptions } from '../filters.ts'
import { go } from '../navigation.ts'
import { FailedPages } from '../parts/failed-pages.tsx'
import { Filter } from '../parts/filter.tsx'
import { Layout } from '../parts/layout.tsx'
import { CountedMarks } from '../parts/marks.tsx'
import { NextRuns } from '../parts/next-runs.tsx'
import { Preview, RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Rows, useWidth } from '../parts/rows.tsx'
import { ScheduledFor } from '../parts/scheduled-for.tsx'
import { Search } from '../parts/search.tsx'
import { ServiceTrouble } from '../parts/service-trouble.tsx'
import { State } from '../parts/state.tsx'
import { Tags } from '../parts/tags.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { WebhookTrouble } from '../parts/webhook-trouble.tsx'
import { atATime, client } from '../session.ts'
import { TEXT_SIZE } from '../text-size.ts'
import { useListing } from '../use-listing.ts'
import { useOriginNames } from '../use-origin-names.ts'
import { count, day, moment, pictures, timeOfDay } from '../words.ts'

/** Roots of one list page. */
const PAGE = 20
/** How often unfinished roots are read again, and among how many. */
const LOOK_MS = 3_000
/** How often a short list without unfinished roots is read again. */
const LONGEST_LOOK_MS = 60_000
const MOST_WATCHED = 100
/** The height of rows. On a narrow screen the facts are above the pictures. */
const ROW = { wide: 184 * TEXT_SIZE, narrow: 228 * TEXT_SIZE }
/** The same as in the style sheet. */
const NARROW = matchMedia('(width < 51.25em)')

export function RootsView({ projectId, filters }: { projectId: string; filters: Filters }) {
  const { q, tag } = filters
  const filtered = JSON.stringify({ ...filters, q: '' }) !== JSON.stringify(NO_FILTERS)
  const roots = useListing(
    `roots ${projectId} ${JSON.stringify(filters)}`,
    () => client.listOverviews(projectId, { limit: atATime(PAGE), ...toOptions(filters) }),
    ({ jobs: [job] }) => job?.preview,
  )
  const quiet = useRef({ newest: 'nothing was seen yet', pause: LOOK_MS })
  useEffect(() => {
    const unfinished = roots.items.some(isUnderWay)
    // A short list is read again by itself, so that new requests appear. The pause grows while none come.
    const short = roots.items.length < atATime(PAGE)
    if (!(short || unfinished) || roots.items.length > MOST_WATCHED) return
    const newest = roots.items[0]?.rootId ?? ''
    const { current } = quiet
    const calm = !unfinished && newest === current.newest
    quiet.current = { newest, pause: calm ? Math.min(current.pause * 2, LONGEST_LOOK_MS) : LOOK_MS }
    // Also after a failure: the service may be back soon.
    const timer = setTimeout(() => roots.renew(), quiet.current.pause)
    return () => clearTimeout(timer)
  }, [roots, roots.items, roots.failure])
  const [container, width] = useWidth()
  const onLast = useCallback(
    (last: number) => {
      if (last >= roots.items.length) roots.more()
    },
    [roots, roots.items],
  )
  const nameOf = useCallback((index: number) => roots.items[index]?.rootId, [roots.items])
  const nameOrigin = useOriginNames(projectId, roots.items)
  const nothing = roots.complete && roots.items.length === 0
  return (
    <Layout title={tag || q || 'Screenshots'} projectId={projectId} place="roots">
      <div class="tools">
        <h1 class="unseen">Screenshots</h1>
        <Search
          value={q}
          label="Search names and addresses"
          onSearch={(text) => go(toRoots(projectId, { ...filters, q: text }), { replace: true })}
        />
        <Filter projectId={projectId} filters={filters} toList={(each) => toRoots(projectId, each)} />
      </div>
      <ServiceTrouble />
      {!filtered && q === '' && (
        <>
          <WebhookTrouble projectId={projectId} />
          <NextRuns projectId={projectId} />
        </>
      )}
      <RenewContext.Provider value={useCallback(() => roots.renewUnlessJustDone(), [roots])}>
        <div ref={container}>
          {width > 0 && roots.items.length > 0 && (
            <Rows
              count={roots.items.length}
              height={NARROW.matches ? ROW.narrow : ROW.wide}
              label="Screenshots, newest first"
              onLast={onLast}
              nameOf={nameOf}
              row={(index) => (
                <RootRow
                  projectId={projectId}
                  root={roots.items[index] as RootOverview}
                  from={nameOrigin(roots.items[index] as RootOverview)}
                  first={index < 4}
                  onChanged={() => roots.renew()}
                />
              )}
            />
          )}
        </div>
      </RenewContext.Provider>
      {roots.failure !== undefined && <Problem failure={roots.failure} retry={() => roots.retry()} />}
      {roots.growing && <Waiting />}
      {nothing && (q || filtered) && (
        <p class="empty">
          {'No screenshots match.'} <a href={toRoots(projectId)}>Show everything</a>
        </p>
      )}
      {nothing && !q && !filtered && (
        <div class="empty">
          <h2>There are no screenshots yet</h2>
          <p>
            <a class="primary" href={toCapture(projectId)}>
              Capture some pages
            </a>
          </p>
        </div>
      )}
    </Layout>
  )
}

function RootRow({
  projectId,
  root,
  from,
  first,
  onChanged,
}: {
  projectId: string
  root: RootOverview
  /** The schedule or template that created it. */
  from: string | undefined
  first: boolean
  onChanged: () => Promise<void>
}) {
  const { rootId, meta, state, counts, marks, tags, failures, jobs } = root
  const more = counts.done - jobs.length
  const isBefore = state === 'scheduled' || state === 'cancelled'
  return (
    <article class="root">
      <div class="facts">
        <h2>
          {/* The time is below. Screen readers hear it as part of the name. */}
          <a href={toRoot(projectId, rootId)} aria-label={moment(meta.created)}>
            {day(meta.created)}
          </a>
        </h2>
        <p class="soft">
          {timeOfDay(meta.created)} · {isBefore ? count(counts.total, 'page') : pictures(counts)}
        </p>
        <p class="state-line">
          <State state={state} />
          {from !== undefined && (
            <span class="from" dir="auto" title={from}>
              {from}
            </span>
          )}
        </p>
        <CountedMarks marks={marks} />
        <Tags projectId={projectId} tags={tags} />
      </div>
      <div class="strip">
        {isBefore && <ScheduledFor projectId={projectId} root={root} onCancelled={onChanged} />}
        <FailedPages failures={failures} failed={counts.failed} alone={counts.done === 0} />
        {jobs.map((job) => (
          <span key={job.uuid} class="frame" style={{ '--aspect': frameAspect(job.screenshotParameter) }}>
            <Preview job={job} eager={first} />
          </span>
        ))}
        {more > 0 && <span class="more">+{more}</span>}
      </div>
    </article>
  )
}

/** A scheduled root changes when its time has come, not before. */
function isUnderWay({ state, scheduled = 0 }: RootOverview): boolean {
  return state === 'scheduled' ? scheduled - Date.now() < LONGEST_LOOK_MS : !isFinal(state)
}

/** The preview of a tall page shows its top. */
function frameAspect({ width, height }: { width: number; height: number }): number {
  return Math.min(2.2, Math.max(0.5, width / height))
}
