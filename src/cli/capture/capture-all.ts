import { isFinal, type RootStatus } from '../../contract/status.ts'
import { AppError } from '../../errors.ts'
import type { ExitCode } from '../exit-code.ts'
import { createProgress } from '../progress.ts'
import { nextSignal } from '../signals.ts'
import { counted, printable } from '../table.ts'
import type { CaptureDesk } from './desk.ts'
import type { Order } from './orders.ts'
import { type Report, toJson, toSummary, toTable } from './report.ts'
import { savePictures } from './save-pictures.ts'

/** What is made of the result, besides a table. */
export interface Wanted {
  readonly out?: string
  readonly json?: true
}

/** Asks for all orders, waits until they are done, and reports. */
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
  process.stdout.write(`${json ? toJson(report) : toTable(report)}\n`)
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
      for (const accepted of roots) process.stderr.write(`Accepted before the mistake: root ${accepted}\n`)
      throw error
    })
    roots.push(rootId)
  }
  return roots
}

/** Shows the progress of all roots. Returns how they ended. */
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
          progress.interrupt(() => process.stderr.write(`${printable(why)}\n`))
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
