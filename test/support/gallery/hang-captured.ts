import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CaptureOptions, OwnOptions } from '../../../src/contract/capture-options.ts'
import type { Seen } from '../../../src/contract/seen.ts'
import type { Origin } from '../../../src/contract/status.ts'
import { PREVIEW_WIDTH } from '../../../src/picture/picture.ts'
import type { Failed } from '../../../src/store/captures.ts'
import type { Store } from '../../../src/store/store.ts'
import { newRequest, newSeen } from '../store/captures.ts'
import { makePng } from '../store/results.ts'

export interface CapturedPage {
  readonly name: string
  readonly url?: string
  /** Data seen of the page, if unusual. */
  readonly seen?: Partial<Seen>
  /** A failure instead of a picture. */
  readonly failed?: Failed
  /** The size of its picture; default: the window. */
  readonly height?: number
  readonly ownOptions?: OwnOptions
}

/** A root like those of a worker, with pictures in one colour: each page is done or has failed. */
export async function hangCaptured(
  { store, dataDir }: { store: Store; dataDir: string },
  projectId: string,
  {
    pages,
    colour = '#3366cc',
    created,
    width = 600,
    height = 400,
    fullPage = false,
    tags = [],
    options = {},
    origin,
  }: {
    pages: readonly CapturedPage[]
    colour?: string
    created: number
    width?: number
    height?: number
    fullPage?: boolean
    tags?: readonly string[]
    /** Other options of the request. */
    options?: Partial<CaptureOptions>
    origin?: Origin
  },
): Promise<string> {
  const rootId = randomUUID()
  const urls = pages.map(({ name, url, ownOptions }) => ({
    url: url ?? `https://site.example/${name.toLowerCase()}`,
    name,
    loadingTime: 15_000,
    ...(ownOptions && { ownOptions }),
  }))
  const all = { width, height, fullPage, tags: [...tags], ...options }
  const request = newRequest(projectId, { created, options: all })
  await store.captures.accept({ ...request, rootId, pages: urls, origin })
  const folder = join(dataDir, 'images', projectId)
  await mkdir(folder, { recursive: true })
  for (const page of pages) {
    const task = await store.captures.takeNext({ now: created, leaseMs: 60_000, rootId })
    if (!task) throw new Error('someone else was there first')
    if (page.failed) {
      await store.captures.finish(task, page.failed, created)
      continue
    }
    const window = { width, height, ...page.ownOptions }
    const size = { width: window.width, height: page.height ?? window.height }
    const png = await makePng(size.width, size.height, colour)
    const small = Math.min(PREVIEW_WIDTH, size.width)
    const preview = await makePng(small, Math.max(1, Math.round((size.height * small) / size.width)), colour)
    await writeFile(join(folder, `${task.uuid}.png`), png)
    await writeFile(join(folder, `${task.uuid}-preview.png`), preview)
    const seen = newSeen({ url: task.url, title: page.name, ...page.seen })
    await store.captures.finish(task, { ...size, basepath: '/tmp', seen }, created)
  }
  return rootId
}
