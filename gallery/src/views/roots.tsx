import { useCallback, useEffect, useRef } from 'preact/hooks'
import type { RootOverview } from '../../../src/contract/browsing.ts'
import { isFinal } from '../../../src/contract/states.ts'
import { toCapture, toRoot, toRoots } from '../addresses.ts'
import { go } from '../navigation.ts'
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
import { count, day, timeOfDay } from '../words.ts'

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

export function RootsView({ projectId, q, tag }: { projectId: string; q: string; tag: string }) {
  const roots = useListing(
    `roots ${projectId} ${JSON.stringify([q, tag])}`,
    () => client.listOverviews(projectId, { limit: atATime(PAGE), ...(q && { q }), ...(tag && { tag }) }),
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
          onSearch={(text) => go(toRoots(projectId, { q: text, tag }), { replace: true })}
        />
        {tag !== '' && (
          <a
            class="tag chosen"
            dir="auto"
            href={toRoots(projectId, { q })}
            aria-label={`Without the tag ${tag}`}
          >
            {tag}
          </a>
        )}
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
      {nothing && (q || tag) && (
        <p class="empty">
          Nothing here is called that. <a href={toRoots(projectId)}>Show everything</a>
        </p>
      )}
      {nothing && !q && !tag && (
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
  const { rootId, meta, state, counts, tags, jobs } = root
  const more = counts.done - jobs.length
  return (
    <article class="root">
      <div class="facts">
        <h2>
          <a href={toRoot(projectId, rootId)}>{day(meta.created)}</a>
        </h2>
        <p class="soft">
          {timeOfDay(meta.created)} · {count(counts.done, 'picture')}
        </p>
        <p>
          <State state={state} />
        </p>
        <Tags projectId={projectId} tags={tags} />
      </div>
      <div class="strip">
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
