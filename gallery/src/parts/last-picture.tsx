import type { LastRoot } from '../../../src/contract/owned.ts'
import { toRoot } from '../addresses.ts'
import { Preview } from './preview.tsx'

/** Previews have this width. The height is cut. */
const SIZE = { width: 400, height: 250 }

/** The picture of the last root of a template or a schedule, which leads to it. */
export function LastPicture({
  projectId,
  name,
  last,
}: {
  projectId: string
  name: string
  last: LastRoot | undefined
}) {
  const picture =
    last?.preview === undefined ? (
      <span class="preview" />
    ) : (
      <Preview job={{ preview: last.preview, screenshotParameter: SIZE }} />
    )
  return last ? (
    <a class="picture" href={toRoot(projectId, last.rootId)} aria-label={`Last screenshot of ${name}`}>
      {picture}
    </a>
  ) : (
    <span class="picture">{picture}</span>
  )
}
