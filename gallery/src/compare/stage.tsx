import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { JobResult } from '../../../src/contract/results.ts'
import type { Comparison } from '../addresses.ts'
import { RenewContext } from '../parts/preview.tsx'
import { day, timeOfDay } from '../words.ts'
import type { Difference } from './use-difference.ts'

/** Shows two pictures of one page, in the chosen way. */
export function Stage({
  before,
  after,
  compare,
  difference,
}: {
  before: JobResult
  after: JobResult
  compare: Comparison
  difference: Difference
}) {
  if (compare === 'slider') return <Slider before={before} after={after} />
  if (compare === 'difference') return <Marked difference={difference} after={after} />
  return (
    <div class="stage beside">
      <Picture job={before} label="Before" />
      <Picture job={after} label="After" />
    </div>
  )
}

/** The handle is a range input, so that it works with pointer, touch and keyboard. */
function Slider({ before, after }: { before: JobResult; after: JobResult }) {
  const [at, setAt] = useState(50)
  const renew = useContext(RenewContext)
  const [a, b] = [before.screenshotParameter, after.screenshotParameter]
  const width = Math.max(a.width, b.width)
  const height = Math.max(a.height, b.height)
  return (
    <div class="stage">
      <div
        class="slider"
        style={{ '--at': `${at}%`, aspectRatio: `${width} / ${height}`, maxWidth: `${width}px` }}
      >
        <img
          src={before.data}
          alt={describe('Before', before)}
          style={{ width: `${(a.width / width) * 100}%` }}
          onError={renew}
        />
        <img
          class="over"
          src={after.data}
          alt={describe('After', after)}
          style={{ width: `${(b.width / width) * 100}%` }}
          onError={renew}
        />
        <span class="handle" aria-hidden="true" />
        <input
          type="range"
          min="0"
          max="100"
          step="0.5"
          value={at}
          aria-label="How much of the earlier picture is shown"
          onInput={(event) => setAt(Number(event.currentTarget.value))}
        />
      </div>
    </div>
  )
}

function Marked({ difference, after }: { difference: Difference; after: JobResult }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (difference.state !== 'measured' || !canvas.current) return
    const { marked } = difference
    canvas.current.width = marked.width
    canvas.current.height = marked.height
    canvas.current.getContext('2d')?.drawImage(marked, 0, 0)
  }, [difference])
  if (difference.state === 'failed') {
    const { mistake, retry } = difference
    return (
      <div class="problem">
        <p>{mistake}</p>
        {retry && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    )
  }
  const { width, height } = after.screenshotParameter
  return (
    <div class="stage">
      <canvas
        ref={canvas}
        class="marked"
        role="img"
        aria-label="Differences, marked in red"
        aria-busy={difference.state === 'measuring'}
        style={{ aspectRatio: difference.state === 'measured' ? 'auto' : `${width} / ${height}` }}
      />
    </div>
  )
}

function Picture({ job, label }: { job: JobResult; label: string }) {
  const { width, height } = job.screenshotParameter
  const renew = useContext(RenewContext)
  return (
    <figure>
      <figcaption>
        <strong>{label}</strong> <span class="soft">{day(job.meta.created)}</span>
      </figcaption>
      <img src={job.data} width={width} height={height} alt={describe(label, job)} onError={renew} />
    </figure>
  )
}

function describe(label: string, { url, meta }: JobResult): string {
  return `${label}: ${url.name}, ${day(meta.created)}, ${timeOfDay(meta.created)}`
}
