import { text as readAll } from 'node:stream/consumers'
import type { Mistake } from '../../contract/check.ts'
import { type PageLine, readPageLines } from '../../contract/page-lines.ts'
import {
  parseScreenshotRequest,
  type RequestLimits,
  type ScreenshotRequest,
} from '../../contract/screenshot-request.ts'
import type { RootStatus } from '../../contract/status.ts'
import { printable, wrong } from '../say.ts'
import { type Fields, tellOption, toFields } from './fields.ts'
import type { Given } from './options.ts'
import { readText } from './secret.ts'

/** A request that the command makes, and how its mistakes are worded. The contract has not checked it yet. */
export interface Order {
  readonly request: ScreenshotRequest
  readonly tell: (mistake: Mistake) => string
}

/** Captures pages: on a server, or in this process. */
export interface CaptureDesk {
  readonly projectId: string
  submit(order: Order): Promise<string>
  /** The status at every change, until the root is finished. */
  follow(rootId: string, signal: AbortSignal): AsyncGenerator<RootStatus>
  readPicture(rootId: string, uuid: string): Promise<AsyncIterable<Uint8Array>>
  readonly gallery: string
  /** The gallery may not be running. */
  readonly mayNotRun: boolean
}

const WINDOW = { width: 1_200, height: 720 }

/** One request for the addresses, or the requests of a file. `-` is the input. */
export async function toOrders(
  addresses: readonly string[],
  given: Given & { readonly from?: string },
): Promise<Order[]> {
  const { from, loadingTime, failOnStatus, ...options } = given
  const isInput = addresses.includes('-')
  if (isInput && from === '-') throw wrong('the input can be read only once')
  const sources = await Promise.all([isInput ? '-' : [], from ?? []].flat().map(readSource))
  const requests = sources.flatMap((source) => source.requests)
  const lines = [addresses.filter((each) => each !== '-'), ...sources.map((source) => source.lines)].flat()
  const pages = readPageLines(lines.join('\n')).map(({ url, name }) => ({ url, name }))
  if (pages.length > 0 && requests.length > 0) {
    throw wrong('the requests already contain addresses: give addresses or requests, not both')
  }
  if (pages.length + requests.length === 0) {
    throw wrong('there is no address to capture')
  }
  const fields = await toFields(options)
  const failOn = failOnStatus && { failOn: 'status' }
  const finish = (request: Fields) =>
    ({ ...withLoadingTime(request, loadingTime), ...failOn }) as ScreenshotRequest
  if (requests.length > 0) {
    return requests.map(({ request, name }) => ({
      request: isObject(request) ? finish(withFields(request, fields)) : (request as ScreenshotRequest),
      tell: ({ pointer, detail }) => `${printable(name)}: ${pointer} ${detail}`,
    }))
  }
  const preset = 'sizes' in fields || 'device' in fields ? {} : WINDOW
  const request = finish({ screenshotParameter: { ...preset, ...fields }, urls: pages })
  return [{ request, tell: (mistake) => tellPage(mistake, pages) ?? tellOption(mistake) }]
}

/** For a thing that has exactly one request. */
export async function toOrder(thing: string, ...given: Parameters<typeof toOrders>): Promise<Order> {
  const [order, ...others] = await toOrders(...given)
  if (order && others.length === 0) return order
  throw wrong(`${thing} has exactly one request`)
}

type Delay = NonNullable<ScreenshotRequest['scheduleDescription']>

/** `30m`, `2h` or `7d`. */
export function parseDelay(text: string): Delay {
  const [, value, unit] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? []
  if (unit === undefined) throw new Error('must be a number with m, h or d, such as 2h')
  return { value: Number(value), unit: unit as Delay['unit'] }
}

export interface Later {
  readonly at?: number | undefined
  readonly in?: Delay | undefined
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

/** Throws `bad_request` with all mistakes of all orders. */
export function refuseMistakes(orders: readonly Order[], limits: RequestLimits): void {
  const told = orders.flatMap(({ request, tell }) => {
    const { mistakes = [] } = parseScreenshotRequest(request, limits)
    return mistakes.map(tell)
  })
  if (told.length > 0) throw wrong(told.map((line) => printable(line)).join('\n'))
}

/** JSON is a request, or a list of requests. Other text has one address per line. */
async function readSource(path: string) {
  const name = path === '-' ? 'input' : path
  const text = path === '-' ? await readAll(process.stdin) : await readText('--from', path)
  if (!/^\s*[[{]/.test(text)) return { lines: text.split('\n'), requests: [] }
  const json = parseJson(text, name)
  const requests: { request: unknown; name: string }[] = Array.isArray(json)
    ? json.map((request, index) => ({ request, name: `${name}, request ${index + 1}` }))
    : [{ request: json, name }]
  return { lines: [], requests }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message of the parser repeats a part of the text, which may have secrets.
    const [where] = /line \d+ column \d+|end of JSON/.exec((error as Error).message) ?? []
    const place = where === undefined ? '' : `: see ${where.replace('end of JSON', 'its end')}`
    throw wrong(`${printable(name)} is not valid JSON${place}`)
  }
}

/** Options of the command replace the same fields of a request. Options of a single page stay. */
function withFields(request: Fields, fields: Fields): Fields {
  const before = request['screenshotParameter']
  const replaced =
    'sizes' in fields
      ? ['width', 'height', 'sizes']
      : 'width' in fields || 'height' in fields
        ? ['sizes']
        : []
  const kept = isObject(before) ? Object.entries(before).filter(([name]) => !replaced.includes(name)) : []
  return { ...request, screenshotParameter: { ...Object.fromEntries(kept), ...fields } }
}

function withLoadingTime(request: Fields, loadingTime: number | undefined): Fields {
  const urls = request['urls']
  if (loadingTime === undefined || !Array.isArray(urls)) return request
  return { ...request, urls: urls.map((page) => (isObject(page) ? { ...page, loadingTime } : page)) }
}

function tellPage({ pointer, detail }: Mistake, pages: readonly Pick<PageLine, 'url'>[]): string | undefined {
  const [, index, field = ''] = /^#\/urls\/(\d+)\/(.*)$/.exec(pointer) ?? []
  const page = index === undefined ? undefined : pages[Number(index)]
  return page && `${printable(page.url)} ${field === 'url' ? '' : `${field} `}${detail}`
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
