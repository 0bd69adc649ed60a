import { useCallback, useEffect, useRef } from 'preact/hooks'
import type { RootOverview } from '../../../src/contract/browsing.ts'
import { isFinal } from '../../../src/contract/states.ts'
import { toCapture, toRoot, toRoots } from '../addresses.ts'
import { type Filters, NO_FILTERS, toOptions } from '../filters.ts'
import { go } from '../navigation.ts'
import { FailedPages } from '../parts/failed-pages.tsx'
import { Filter } from '../parts/filter.tsx'
import { CountedMarks } from '../parts/marks.tsx'
import { NoBrowser } from '../parts/no-browser.tsx'
import { Page } from '../parts/page.tsx'
import { Preview, RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { Rows, useWidth } from '../parts/rows.tsx'
import { Search } from '../parts/search.tsx'
import { State } from '../parts/state.tsx'
import { Tags } from '../parts/tags.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { TEXT_SIZE } from '../text-size.ts'
import { useListing } from '../use-listing.ts'
import { day, pictures, timeOfDay } from '../words.ts'

/** Roots asked for at a time. */
const PAGE = 20
/** How often a root that is being captured is looked at, and among how many. */
const LOOK_MS = 3_000
/** And a short list in which nothing is going on. */
const LONGEST_LOOK_MS = 60_000
const MOST_WATCHED = 100
/** Rows are as high on a narrow screen, where the facts stand above the pictures, as these say. */
const ROW = { wide: 184 * TEXT_SIZE, narrow: 228 * TEXT_SIZE }
/** As the style sheet has it. */
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
    const unfinished = roots.items.some(({ state }) => !isFinal(state))
    // In a short list, which is one small answer, new captures appear by themselves: less and less soon while none come.
    const short = roots.items.length < atATime(PAGE)
    if (!(short || unfinished) || roots.items.length > MOST_WATCHED) return
    const newest = roots.items[0]?.rootId ?? ''
    const { current } = quiet
    const calm = !unfinished && newest === current.newest
    quiet.current = { newest, pause: calm ? Math.min(current.pause * 2, LONGEST_LOOK_MS) : LOOK_MS }
    // And again after one that failed: the service may be away for a moment.
    const timer = setTimeout(() => roots.renew(), quiet.current.pause)
    return () => clearTimeout(timer)
  }, [roots, roots.items, roots.failure])
  const [place, width] = useWidth()
  const onLast = useCallback(
    (last: number) => {
      if (last >= roots.items.length) roots.more()
    },
    [roots, roots.items],
  )
  const nameOf = useCallback((index: number) => roots.items[index]?.rootId, [roots.items])
  const nothing = roots.complete && roots.items.length === 0
  return (
    <Page title={tag || q || 'Captures'} projectId={projectId} tab="roots">
      <div class="tools">
        <h1 class="unseen">Captures</h1>
        <Search
          value={q}
          label="Search names and addresses"
          onSearch={(text) => go(toRoots(projectId, { ...filters, q: text }), { replace: true })}
        />
        <Filter filters={filters} toList={(each) => toRoots(projectId, each)} />
      </div>
      <NoBrowser />
      <RenewContext.Provider value={useCallback(() => roots.renewUnlessJustDone(), [roots])}>
        <div ref={place}>
          {width > 0 && roots.items.length > 0 && (
            <Rows
              count={roots.items.length}
              height={NARROW.matches ? ROW.narrow : ROW.wide}
              label="Captures, newest first"
              onLast={onLast}
              nameOf={nameOf}
              row={(index) => (
                <RootRow projectId={projectId} root={roots.items[index] as RootOverview} first={index < 4} />
              )}
            />
          )}
        </div>
      </RenewContext.Provider>
      {roots.failure !== undefined && <Problem failure={roots.failure} retry={() => roots.retry()} />}
      {roots.growing && <Waiting />}
      {nothing && (q || filtered) && (
        <p class="empty">
          {filtered ? 'No capture is like that.' : 'Nothing here is called that.'}{' '}
          <a href={toRoots(projectId)}>Show everything</a>
        </p>
      )}
      {nothing && !q && !filtered && (
        <div class="empty">
          <h2>Nothing was captured yet</h2>
          <p>
            <a class="primary" href={toCapture(projectId)}>
              Capture some pages
            </a>
          </p>
        </div>
      )}
    </Page>
  )
}

function RootRow({ projectId, root, first }: { projectId: string; root: RootOverview; first: boolean }) {
  const { rootId, meta, state, counts, marks, tags, failures, jobs } = root
  const more = counts.done - jobs.length
  return (
    <article class="root">
      <div class="facts">
        <h2>
          <a href={toRoot(projectId, rootId)}>{day(meta.created)}</a>
        </h2>
        <p class="soft">
          {timeOfDay(meta.created)} · {pictures(counts)}
        </p>
        <p class="state-line">
          <State state={state} />
        </p>
        <CountedMarks marks={marks} />
        <Tags projectId={projectId} tags={tags} />
      </div>
      <div class="strip">
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

/** A tall page shows its top. */
function frameAspect({ width, height }: { width: number; height: number }): number {
  return Math.min(2.2, Math.max(0.5, width / height))
}
