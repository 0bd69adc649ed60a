import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { JobOverview } from '../../../src/contract/browsing.ts'
import { Preview } from '../parts/preview.tsx'
import { TEXT_SIZE } from '../text-size.ts'
import { month, shortDay, timeOfDay } from '../words.ts'

/** The width of a picture with its gap. */
const FRAME = 172 * TEXT_SIZE
const SPARE = 3

/**
 * All pictures of a page in a row, the newest at the right. It starts at the right end, and older pictures are added at the left
 * without moving the others. (So the row is written from right to left; the words in it are not.)
 */
export function Timeline({
  jobs,
  read,
  before,
  after,
  onBefore,
  onAfter,
  onEnd,
}: {
  /** Newest first. */
  jobs: readonly JobOverview[]
  /** How many items were read for them. */
  read: number
  before: string
  after: string
  onBefore: (job: JobOverview) => void
  onAfter: (job: JobOverview) => void
  /** Called near the left end, to read more. */
  onEnd: () => void
}) {
  const row = useRef<HTMLDivElement>(null)
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 16])
  useLayoutEffect(() => {
    const look = () => {
      const { scrollLeft = 0, clientWidth = 0 } = row.current ?? {}
      const from = Math.max(0, Math.floor(Math.abs(scrollLeft) / FRAME) - SPARE)
      const to = Math.ceil((Math.abs(scrollLeft) + clientWidth) / FRAME) + SPARE
      setRange((range) => (range[0] === from && range[1] === to ? range : [from, to]))
      if (to >= jobs.length) onEnd()
    }
    look()
    const element = row.current
    element?.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      element?.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [jobs.length, read, onEnd])
  // Scrolls to the chosen picture when the view opens.
  const chosen = useRef(after)
  useEffect(() => {
    const index = jobs.findIndex(({ uuid }) => uuid === chosen.current)
    if (index > 5 && row.current) row.current.scrollLeft = -(index - 2) * FRAME
    if (index >= 0) chosen.current = ''
  }, [jobs.length])
  const shown = []
  for (let index = first; index < Math.min(last, jobs.length); index++) {
    const job = jobs[index] as JobOverview
    const older = jobs[index + 1]
    const begins = !older || month(older.meta.created) !== month(job.meta.created)
    shown.push(
      <li key={job.uuid} style={{ right: `${index * FRAME}px` }}>
        <span class="month">{begins && month(job.meta.created)}</span>
        <span class="dot" aria-hidden="true" />
        <Frame
          job={job}
          mark={job.uuid === before ? 'before' : job.uuid === after ? 'after' : undefined}
          onBefore={() => onBefore(job)}
          onAfter={() => onAfter(job)}
        />
      </li>,
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="timeline" ref={row} tabIndex={0} aria-label="Timeline, oldest to newest" dir="rtl">
      <ul style={{ width: `${jobs.length * FRAME}px` }}>{shown}</ul>
    </section>
  )
}

function Frame({
  job,
  mark,
  onBefore,
  onAfter,
}: {
  job: JobOverview
  mark: 'before' | 'after' | undefined
  onBefore: () => void
  onAfter: () => void
}) {
  const { meta, screenshotParameter } = job
  const { width, height } = screenshotParameter
  const when = `${shortDay(meta.created)}, ${timeOfDay(meta.created)}`
  return (
    <div class={`frame ${mark ?? ''}`} dir="ltr">
      <Preview job={job} seen={job.seen} />
      <span class="when">
        {shortDay(meta.created)}
        <span class="soft">
          {timeOfDay(meta.created)} · {width} × {height}
        </span>
      </span>
      <span class="pick">
        <button
          type="button"
          aria-pressed={mark === 'before'}
          aria-label={`Before: ${when}`}
          onClick={onBefore}
        >
          Before
        </button>
        <button type="button" aria-pressed={mark === 'after'} aria-label={`After: ${when}`} onClick={onAfter}>
          After
        </button>
      </span>
    </div>
  )
}
