import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pictureFileName } from '../../contract/picture-names.ts'
import { isFinal, type PageStatus, type RootStatus } from '../../contract/status.ts'
import { AppError } from '../../errors.ts'
import { makeFolders } from '../../files/durable-folder.ts'
import { createProgress } from '../progress.ts'
import { counted, print, printable, say } from '../say.ts'
import { type ExitCode, nextSignal } from '../signals.ts'
import type { CaptureDesk, Order } from './orders.ts'
import { ownWindow, type Report, toJson, toSummary, toTable } from './report.ts'

/** Output besides the table. */
export interface Wanted {
  readonly out?: string
  readonly json?: true
}

export async function captureAll(
  desk: CaptureDesk,
  orders: readonly Order[],
  { out, json }: Wanted,
): Promise<ExitCode> {
  const stop = new AbortController()
  void nextSignal().then(() => stop.abort())
  const roots = await submitAll(desk, orders)
  const statuses = await followAll(desk, roots, { total: countPages(orders), signal: stop.signal })
  const saved = out === undefined ? new Map<string, string>() : await savePictures(desk, statuses, out)
  const report: Report = { desk, statuses, saved }
  print(json ? toJson(report) : toTable(report))
  if (!json) process.stderr.write(toSummary(report))
  return statuses.every(({ state }) => state === 'done') ? 0 : 1
}

export async function submitAll(
  desk: Pick<CaptureDesk, 'submit'>,
  orders: readonly Order[],
): Promise<string[]> {
  const roots: string[] = []
  for (const order of orders) {
    const rootId = await desk.submit(order).catch((error) => {
      for (const accepted of roots) say(`Accepted before the mistake: root ${accepted}`)
      throw error
    })
    roots.push(rootId)
  }
  return roots
}

async function followAll(
  desk: CaptureDesk,
  roots: readonly string[],
  { total, signal }: { total: number; signal: AbortSignal },
): Promise<RootStatus[]> {
  const progress = createProgress({ title: 'Capturing', unit: 'pages', total })
  const statuses: RootStatus[] = []
  let ended = 0
  try {
    for (const rootId of roots) {
      const before = ended
      let status: RootStatus | undefined
      for await (const next of desk.follow(rootId, signal)) {
        const why = next.waiting?.detail
        if (why !== undefined && why !== status?.waiting?.detail) {
          progress.interrupt(() => say(printable(why)))
        }
        status = next
        const now = before + next.counts.done + next.counts.failed
        progress.advance(now - ended)
        ended = now
      }
      if (!status || !isFinal(status.state)) throw stopped(ended, total, roots)
      statuses.push(status)
    }
  } finally {
    progress.finish()
  }
  return statuses
}

function stopped(ended: number, total: number, roots: readonly string[]): AppError {
  const where = `root${roots.length === 1 ? '' : 's'} ${roots.join(', ')}`
  return new AppError(
    'unavailable',
    `stopped with ${ended} of ${counted(total, 'page')} done. The others stay queued, as ${where}`,
  )
}

/** All pages in all their sizes. A page with a window of its own is captured in that one only. */
function countPages(orders: readonly Order[]): number {
  const counts = orders.map(({ request: { screenshotParameter, urls } }) => {
    const windows = Math.max(1, screenshotParameter.sizes?.length ?? 0)
    const single = urls.filter(({ width, device }) => width !== undefined || device !== undefined)
    return single.length + (urls.length - single.length) * windows
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Saves the pictures. Returns their paths by uuid. */
async function savePictures(
  desk: CaptureDesk,
  statuses: readonly RootStatus[],
  folder: string,
): Promise<Map<string, string>> {
  await makeFolders(resolve(folder), 0o777)
  const saved = new Map<string, string>()
  const nameNext = createNames()
  for (const { rootId, urls } of statuses) {
    for (const page of urls) {
      const path = join(folder, nameNext(page))
      const { uuid } = page
      if (uuid === undefined) continue
      await pipeline(Readable.from(await desk.readPicture(rootId, uuid)), createWriteStream(path))
      saved.set(uuid, path)
    }
  }
  return saved
}

/**
 * The file name of one page after the other. It does not depend on how many pages there are, nor on which of them failed:
 * `Home.png`, `Home-390x844.png` for a page with a window of its own, and `Home-2.png` for a second page of that name.
 */
export function createNames(): (page: Pick<PageStatus, 'name' | 'options'>) => string {
  const used = new Set<string>()
  return (page) => {
    const window = ownWindow(page)
    for (let number = 1; ; number++) {
      const name = pictureFileName(page.name, `${window && `-${window}`}${number > 1 ? `-${number}` : ''}`)
      // For some file systems, Home and home are the same.
      if (used.has(name.toLowerCase())) continue
      used.add(name.toLowerCase())
      return name
    }
  }
}
