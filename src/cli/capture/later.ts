import { parseScreenshotRequest, type ScreenshotRequest } from '../../contract/screenshot-request.ts'
import { timeOf } from '../../contract/when.ts'
import { AppError } from '../../errors.ts'
import { withIdleCapturing } from '../idle-capturing.ts'
import type { ExitCode } from '../signals.ts'
import { getProjectId } from '../storage.ts'
import { formatTime } from '../table.ts'
import { submitAll, type Wanted } from './capture-all.ts'
import type { CaptureDesk } from './desk.ts'
import { type Order, refuseMistakes } from './orders.ts'

// Captures once, at a later time. The command does not wait for it.

type Delay = NonNullable<ScreenshotRequest['scheduleDescription']>

/** When, as the options say. */
export interface Later {
  readonly at?: number | undefined
  readonly in?: Delay | undefined
}

/** `30m`, `2h` or `7d`. */
export function parseDelay(text: string): Delay {
  const [, value, unit] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? []
  if (unit === undefined) throw new Error('must be a number with m, h or d, such as 2h')
  return { value: Number(value), unit: unit as Delay['unit'] }
}

/** Options of the command replace the fields of the request. */
export function withTime(orders: readonly Order[], { at, in: delay }: Later): readonly Order[] {
  if (at === undefined && delay === undefined) return orders
  return orders.map(({ request, tell }) => {
    // A file may contain any JSON. The check reports its mistakes.
    if (typeof request !== 'object' || request === null) return { request, tell }
    const { scheduledTs: _, scheduleDescription: __, ...now } = request
    const when = at === undefined ? { scheduleDescription: delay as Delay } : { scheduledTs: at }
    return { request: { ...now, ...when }, tell }
  })
}

/** Whether the orders are for later. Throws `bad_request` if only some of them are. */
export function areLater(orders: readonly Order[], { out, json }: Wanted): boolean {
  const later = orders.filter(({ request }) => request?.scheduledTs ?? request?.scheduleDescription)
  if (later.length === 0) return false
  if (later.length < orders.length) {
    throw new AppError(
      'bad_request',
      'some requests are for now and some for later: use one command for each',
    )
  }
  if (out !== undefined || json) {
    throw new AppError(
      'bad_request',
      '--out and --json cannot be used with a later time: there are no pictures yet',
    )
  }
  return true
}

/** Prints the ids of the roots. */
export async function captureLater(
  desk: Pick<CaptureDesk, 'submit'>,
  orders: readonly Order[],
): Promise<ExitCode> {
  for (const rootId of await submitAll(desk, orders)) process.stdout.write(`${rootId}\n`)
  return 0
}

/** Into the configured storage, for a service or a worker that runs on it at that time. */
export async function scheduleHere(project: string | undefined, orders: readonly Order[]): Promise<ExitCode> {
  return await withIdleCapturing(async ({ storage, config: { limits }, capturing }) => {
    refuseMistakes(orders, limits)
    const projectId = await getProjectId(storage, project)
    const submit = async ({ request }: Order) => {
      const { asked, when } = parseScreenshotRequest(request, limits)
      if (!asked) throw new AppError('bad_request')
      const now = Date.now()
      const scheduled = timeOf(when, now)
      const origin = scheduled === undefined ? {} : { scheduled }
      const rootId = await capturing.requests.accept(projectId, asked, {
        now,
        idempotencyKey: undefined,
        origin,
      })
      const time = scheduled === undefined ? 'now' : `at ${formatTime(scheduled)} UTC`
      process.stderr.write(
        `Root ${rootId} will be captured ${time}, by a service (\`proofsheet serve\`) or a worker (\`proofsheet work\`) on this storage.\n`,
      )
      return rootId
    }
    return await captureLater({ submit }, orders)
  })
}
