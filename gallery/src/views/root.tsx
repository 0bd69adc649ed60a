import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { JobResult } from '../../../src/contract/results.ts'
import type { Counts } from '../../../src/contract/status.ts'
import { isFinal } from '../../../src/contract/status.ts'
import { toHistory, toRoot } from '../addresses.ts'
import type { Lightbox } from '../lightbox.ts'
import { go, leaveTo } from '../navigation.ts'
import { Failures } from '../parts/failures.tsx'
import { Grid } from '../parts/grid.tsx'
import { Page } from '../parts/page.tsx'
import { Preview, RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { SaveAll } from '../parts/save-all.tsx'
import { State } from '../parts/state.tsx'
import { Tags } from '../parts/tags.tsx'
import { atATime, client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { useListing } from '../use-listing.ts'
import { useProgress } from '../use-progress.ts'
import { count, day, number, shortAddress, timeOfDay } from '../words.ts'

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
  const overview = useAnswer(`root ${rootId}`, (signal) =>
    client.getRootOverview(projectId, rootId, { signal }),
  )
  const jobs = useListing(
    `jobs ${rootId}`,
    () => client.listJobs(projectId, rootId, { limit: atATime(PAGE) }),
    (job: JobResult) => job.preview,
  )
  const { status, failure } = useProgress(projectId, overview.value, () => void jobs.renew())
  const { meta, tags = [] } = overview.value ?? {}
  const state = status?.state ?? overview.value?.state
  const counts = status?.counts ?? overview.value?.counts
  const pending = counts ? counts.queued + counts.running : 0
  const open = useOpenPicture(projectId, rootId, picture, jobs)
  const onLast = useCallback(
    (last: number) => {
      if (last >= jobs.items.length) jobs.more()
    },
    [jobs, jobs.items],
  )
  const first = overview.value?.jobs ?? []
  const shown = jobs.items.length > 0 ? jobs.items : first
  return (
    <Page title={meta ? day(meta.created) : ''} projectId={projectId}>
      {overview.failure !== undefined && <Problem failure={overview.failure} retry={overview.reload} />}
      {meta && counts && state && (
        <div class="heading">
          <div>
            <h1>{day(meta.created)}</h1>
            <p class="soft">
              {timeOfDay(meta.created)} · {count(counts.done, 'picture')} <State state={state} />
            </p>
            <Tags projectId={projectId} tags={tags} />
          </div>
          {counts.done > 0 && <SaveAll projectId={projectId} rootId={rootId} />}
        </div>
      )}
      {counts && state && !isFinal(state) && <Progress counts={counts} />}
      {failure !== undefined && <Problem failure={failure} />}
      {open.failure !== undefined && <Problem failure={open.failure} retry={() => location.reload()} />}
      {status && <Failures pages={status.urls} />}
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
                <JobCard key={job.uuid} job={job} eager={index < 12} />
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
    </Page>
  )
}

function JobCard({ job, eager }: { job: JobResult; eager: boolean }) {
  const { projectId, rootId, uuid, url, screenshotParameter } = job
  const { width, height } = screenshotParameter
  return (
    <div class="card">
      <a class="open" href={toRoot(projectId, rootId, uuid)} aria-label={`Open ${url.name}`}>
        <Preview job={job} eager={eager} />
      </a>
      <strong dir="auto" title={url.name}>
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
      <span class="soft">
        {width} × {height}
      </span>
    </div>
  )
}

function Progress({ counts: { total, done, failed } }: { counts: Counts }) {
  return (
    <div class="progress">
      <progress max={total} value={done + failed} aria-label="Pages captured" />
      <p role="status">
        {number(done + failed)} of {count(total, 'page')} captured
        {failed > 0 && `, ${number(failed)} of them failed`}
      </p>
    </div>
  )
}

/** The address says which picture is open; the lightbox follows it, and it follows the lightbox. */
function useOpenPicture(
  projectId: string,
  rootId: string,
  picture: string,
  jobs: ReturnType<typeof useListing<JobResult>>,
): { index: number; failure: unknown } {
  const box = useRef<Lightbox>(undefined)
  const shown = useRef('')
  /** Closed while its address is still there: going back takes a moment. */
  const left = useRef('')
  const [opening, setOpening] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  /** What the address says by now. */
  const wanted = useRef(picture)
  wanted.current = picture
  const index = picture === '' ? -1 : jobs.items.findIndex(({ uuid }) => uuid === picture)
  // It may be on a page of the list that was not asked for yet.
  useEffect(() => {
    if (picture !== '' && index < 0) jobs.more()
  }, [picture, index, jobs, jobs.items])
  useEffect(() => {
    if (picture === '') {
      left.current = ''
      box.current?.close()
    }
    if (index < 0 || box.current || opening || picture === left.current) return
    setOpening(true)
    const open = ({ openLightbox }: typeof import('../lightbox.ts')) => {
      // It had to be fetched, and whoever wanted it may have left.
      if (wanted.current === '') return setOpening(false)
      shown.current = wanted.current
      box.current = openLightbox(jobs, {
        picture: wanted.current,
        onShow({ uuid }) {
          if (uuid === shown.current) return
          shown.current = uuid
          go(toRoot(projectId, rootId, uuid), { replace: true })
        },
        onClose() {
          box.current = undefined
          setOpening(false)
          const { current: uuid } = shown
          document.querySelector<HTMLElement>(`a.open[href$="picture=${CSS.escape(uuid)}"]`)?.focus()
          if (!new URL(location.href).searchParams.has('picture')) return
          left.current = shown.current
          leaveTo(toRoot(projectId, rootId))
        },
      })
    }
    import('../lightbox.ts').then(open, setFailure)
  }, [picture, index, jobs, projectId, rootId, opening])
  useEffect(
    () => () => {
      wanted.current = ''
      box.current?.close()
    },
    [],
  )
  return { index, failure }
}
