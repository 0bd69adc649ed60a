import { useCallback, useMemo } from 'preact/hooks'
import { optionsOfPage } from '../../../src/contract/options-of-page.ts'
import type { JobResult } from '../../../src/contract/results.ts'
import { isFinal } from '../../../src/contract/states.ts'
import type { Counts, PageStatus, RootStatus, Waiting } from '../../../src/contract/status.ts'
import { sizeName } from '../form/sizes.ts'
import { type KnownPage, knownPages } from '../known-pages.ts'
import { countMarks } from '../marks.ts'
import { Again } from '../parts/again.tsx'
import { Asked } from '../parts/asked.tsx'
import { Failures } from '../parts/failures.tsx'
import { Grid } from '../parts/grid.tsx'
import { JobCard } from '../parts/job-card.tsx'
import { Layout } from '../parts/layout.tsx'
import { CountedMarks } from '../parts/marks.tsx'
import { Notes } from '../parts/notes.tsx'
import { Origin } from '../parts/origin.tsx'
import { RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { SaveAll } from '../parts/save-all.tsx'
import { SaveAs } from '../parts/save-as.tsx'
import { ScheduledFor } from '../parts/scheduled-for.tsx'
import { State } from '../parts/state.tsx'
import { Tags } from '../parts/tags.tsx'
import { atATime, client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { useListing } from '../use-listing.ts'
import { useOpenPicture } from '../use-open-picture.ts'
import { useProgress } from '../use-progress.ts'
import { count, moment, number, pictures } from '../words.ts'

const PAGE = 100

export function RootView({
  projectId,
  rootId,
  picture,
}: {
  projectId: string
  rootId: string
  picture: string
}) {
  const overview = useAnswer(`root ${projectId} ${rootId}`, (signal) =>
    client.getRootOverview(projectId, rootId, { signal }),
  )
  const jobs = useListing(
    `jobs ${projectId} ${rootId}`,
    () => client.listJobs(projectId, rootId, { limit: atATime(PAGE) }),
    (job: JobResult) => job.preview,
  )
  const { status, failure } = useProgress(projectId, overview.value, () => void jobs.renew())
  const { meta, view, tags = [] } = overview.value ?? {}
  const state = status?.state ?? overview.value?.state
  const counts = status?.counts ?? overview.value?.counts
  const isBefore = state === 'scheduled' || state === 'cancelled'
  const pending = counts ? counts.queued + counts.running : 0
  const failures = status ? failuresIn(status) : overview.value?.failures
  const known = useMemo(() => knownPages(overview.value, status), [status, overview.value])
  const hasOtherWindows = useMemo(() => haveDifferentWindows([...known.values()]), [known])
  const open = useOpenPicture(projectId, rootId, picture, jobs, known)
  const onLast = useCallback(
    (last: number) => {
      if (last >= jobs.items.length) jobs.more()
    },
    [jobs, jobs.items],
  )
  const first = overview.value?.jobs ?? []
  const shown = jobs.items.length > 0 ? jobs.items : first
  return (
    <Layout title={meta ? moment(meta.created) : ''} projectId={projectId}>
      {overview.failure !== undefined && <Problem failure={overview.failure} retry={overview.reload} />}
      {meta && counts && state && (
        <div class="heading">
          <div>
            <h1>{moment(meta.created)}</h1>
            <p class="soft">
              <span>{isBefore ? count(counts.total, 'page') : pictures(counts)}</span>
              <State state={state} />
            </p>
            <Origin projectId={projectId} origin={overview.value ?? {}} />
            {view && <Asked view={view} status={status} />}
            <CountedMarks marks={status ? countMarks(status.urls) : (overview.value?.marks ?? {})} />
            <Tags projectId={projectId} tags={tags} />
          </div>
          <div class="actions">
            {status && isFinal(status.state) && <Again projectId={projectId} status={status} />}
            {status?.options && <SaveAs projectId={projectId} status={status} />}
            {counts.done > 0 && <SaveAll projectId={projectId} rootId={rootId} />}
          </div>
        </div>
      )}
      {overview.value && state && isBefore && (
        <ScheduledFor
          projectId={projectId}
          root={{ ...overview.value, state }}
          onCancelled={overview.reload}
        />
      )}
      {counts && state && !isBefore && !isFinal(state) && (
        <Progress counts={counts} waiting={status?.waiting} />
      )}
      {failure !== undefined && <Problem failure={failure} />}
      {open.failure !== undefined && <Problem failure={open.failure} retry={() => location.reload()} />}
      {failures && counts && <Failures failures={failures} failed={counts.failed} />}
      {status && <Notes pages={status.urls} />}
      <RenewContext.Provider value={useCallback(() => jobs.renewUnlessJustDone(), [jobs])}>
        {counts && (
          <Grid
            count={counts.done + pending}
            label="Pictures, in the order of the request"
            onLast={onLast}
            shown={open.index}
            card={(index) => {
              const job = shown[index]
              return job ? (
                <JobCard
                  key={job.uuid}
                  job={job}
                  known={known.get(job.uuid)}
                  hasOtherWindows={hasOtherWindows}
                  eager={index < 12}
                />
              ) : (
                <span key={index} class="card waits" aria-hidden="true">
                  <span class="preview" />
                </span>
              )
            }}
          />
        )}
      </RenewContext.Provider>
      {jobs.failure !== undefined && overview.failure === undefined && (
        <Problem failure={jobs.failure} retry={() => jobs.retry()} />
      )}
    </Layout>
  )
}

/** The failed pages, with their sizes if there are several. */
function failuresIn({ urls, options }: RootStatus) {
  const windowOf = (page: PageStatus) => (options ? optionsOfPage(options, page.options) : undefined)
  const hasOthers = haveDifferentWindows(urls.map((page) => ({ seen: undefined, options: windowOf(page) })))
  return urls
    .filter(({ state }) => state === 'failed')
    .map((page) => {
      const window = hasOthers ? windowOf(page) : undefined
      return window ? { ...page, size: sizeName(window) ?? `${window.width} × ${window.height}` } : page
    })
}

function haveDifferentWindows(pages: readonly KnownPage[]): boolean {
  const windows = pages.flatMap(({ options }) => (options ? [`${options.width} ${options.height}`] : []))
  return new Set(windows).size > 1
}

function Progress({
  counts: { total, done, failed },
  waiting,
}: {
  counts: Counts
  waiting: Waiting | undefined
}) {
  return (
    <div class="progress">
      <progress max={total} value={done + failed} aria-label="Pages captured" />
      <p role="status">
        {number(done + failed)} of {count(total, 'page')} captured
        {failed > 0 && `, ${number(failed)} of them failed`}
        {waiting && `. It waits: ${waiting.detail}`}
      </p>
    </div>
  )
}
