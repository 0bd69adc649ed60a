import { useCallback, useMemo } from 'preact/hooks'
import { shortAddress } from '../../../src/contract/page-names.ts'
import type { JobResult } from '../../../src/contract/results.ts'
import type { Seen } from '../../../src/contract/seen.ts'
import { isFinal } from '../../../src/contract/states.ts'
import type { Counts, Waiting } from '../../../src/contract/status.ts'
import { toHistory, toRoot } from '../addresses.ts'
import { countMarks, findOtherAddress } from '../marks.ts'
import { Failures } from '../parts/failures.tsx'
import { Grid } from '../parts/grid.tsx'
import { Layout } from '../parts/layout.tsx'
import { CountedMarks } from '../parts/marks.tsx'
import { Preview, RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { SaveAll } from '../parts/save-all.tsx'
import { State } from '../parts/state.tsx'
import { Tags } from '../parts/tags.tsx'
import { atATime, client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { useListing } from '../use-listing.ts'
import { useOpenPicture } from '../use-open-picture.ts'
import { useProgress } from '../use-progress.ts'
import { count, day, number, pictures, timeOfDay, viewName } from '../words.ts'

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
  const pending = counts ? counts.queued + counts.running : 0
  const failures = status?.urls.filter(({ state }) => state === 'failed') ?? overview.value?.failures
  const seen = useMemo(() => {
    const pages = status?.urls ?? overview.value?.jobs ?? []
    return new Map(pages.flatMap((page) => (page.uuid && page.seen ? [[page.uuid, page.seen] as const] : [])))
  }, [status, overview.value])
  const open = useOpenPicture(projectId, rootId, picture, jobs, seen)
  const onLast = useCallback(
    (last: number) => {
      if (last >= jobs.items.length) jobs.more()
    },
    [jobs, jobs.items],
  )
  const first = overview.value?.jobs ?? []
  const shown = jobs.items.length > 0 ? jobs.items : first
  return (
    <Layout title={meta ? day(meta.created) : ''} projectId={projectId}>
      {overview.failure !== undefined && <Problem failure={overview.failure} retry={overview.reload} />}
      {meta && counts && state && (
        <div class="heading">
          <div>
            <h1>{day(meta.created)}</h1>
            <p class="soft">
              <span>
                {timeOfDay(meta.created)} · {pictures(counts)}
                {view && ` · ${viewName(view)}`}
              </span>
              <State state={state} />
            </p>
            <CountedMarks marks={status ? countMarks(status.urls) : (overview.value?.marks ?? {})} />
            <Tags projectId={projectId} tags={tags} />
          </div>
          {counts.done > 0 && <SaveAll projectId={projectId} rootId={rootId} />}
        </div>
      )}
      {counts && state && !isFinal(state) && <Progress counts={counts} waiting={status?.waiting} />}
      {failure !== undefined && <Problem failure={failure} />}
      {open.failure !== undefined && <Problem failure={open.failure} retry={() => location.reload()} />}
      {failures && counts && <Failures failures={failures} failed={counts.failed} />}
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
                <JobCard key={job.uuid} job={job} seen={seen.get(job.uuid)} eager={index < 12} />
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

function JobCard({ job, seen, eager }: { job: JobResult; seen: Seen | undefined; eager: boolean }) {
  const { projectId, rootId, uuid, url, screenshotParameter } = job
  const { width, height } = screenshotParameter
  const other = findOtherAddress(url.url, seen)
  return (
    <div class="card">
      <a class="open" href={toRoot(projectId, rootId, uuid)}>
        <span class="unseen">Open {url.name}</span>
        <Preview job={job} seen={seen} eager={eager} />
      </a>
      <strong dir="auto" title={seen?.title ? `${url.name}: “${seen.title}”` : url.name}>
        {url.name}
      </strong>
      <a
        class="address"
        dir="ltr"
        href={toHistory(projectId, url.url, { after: uuid })}
        title={`${url.url}: through time`}
      >
        {shortAddress(url.url)}
      </a>
      <span class="soft" title={other && `It led to ${other}`}>
        {width} × {height}
        {other && ` → ${shortAddress(other)}`}
      </span>
    </div>
  )
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
