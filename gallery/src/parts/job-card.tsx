import { shortAddress } from '../../../src/contract/page-lines.ts'
import type { JobResult } from '../../../src/contract/results.ts'
import { toHistory, toRoot } from '../addresses.ts'
import { sizeName } from '../form/sizes.ts'
import type { KnownPage } from '../known-pages.ts'
import { findOtherAddress } from '../marks.ts'
import { Preview } from './preview.tsx'

/** One picture of a root. */
export function JobCard({
  job,
  known,
  hasOtherWindows,
  eager,
}: {
  job: JobResult
  known: KnownPage | undefined
  /** The root has pictures in other windows: the card says which one this is. */
  hasOtherWindows: boolean
  eager: boolean
}) {
  const { projectId, rootId, uuid, url, screenshotParameter } = job
  const { width, height } = screenshotParameter
  const seen = known?.seen
  const other = findOtherAddress(url.url, seen)
  const window = hasOtherWindows && known?.options ? windowWords(known.options, screenshotParameter) : ''
  return (
    <div class="card">
      <a class="open" href={toRoot(projectId, rootId, uuid)}>
        <span class="unseen">
          Open {url.name}
          {window && `, ${window}`}
        </span>
        <Preview job={job} seen={seen} eager={eager} />
      </a>
      <strong dir="auto" title={seen?.title ? `${url.name}: “${seen.title}”` : url.name}>
        {url.name}
      </strong>
      <a
        class="address"
        dir="ltr"
        href={toHistory(projectId, url.url, { after: uuid })}
        title={`${url.url}: history`}
      >
        {shortAddress(url.url)}
      </a>
      <span class="soft" title={other && `Redirected to ${other}`}>
        {window && `${window} · `}
        {width} × {height}
        {other && ` → ${shortAddress(other)}`}
      </span>
    </div>
  )
}

/** `Phone`, or `1440 × 900` if the window has no name and the picture has another size. */
function windowWords(
  window: { width: number; height: number },
  picture: { width: number; height: number },
): string {
  const isAlike = window.width === picture.width && window.height === picture.height
  return sizeName(window) ?? (isAlike ? 'Window' : `Window ${window.width} × ${window.height}`)
}
