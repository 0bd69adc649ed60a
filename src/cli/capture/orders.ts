import { text as readAll } from 'node:stream/consumers'
import type { Mistake } from '../../contract/check.ts'
import { readPageLines } from '../../contract/page-lines.ts'
import {
  parseScreenshotRequest,
  type RequestLimits,
  type ScreenshotRequest,
} from '../../contract/screenshot-request.ts'
import { AppError } from '../../errors.ts'
import { printable } from '../table.ts'
import { type Fields, tellOption, toFields } from './fields.ts'
import type { Given } from './options.ts'
import { readText } from './secret.ts'

/** A request that the command makes, and how its mistakes are worded. The contract has not checked it yet. */
export interface Order {
  readonly request: ScreenshotRequest
  readonly tell: (mistake: Mistake) => string
}

interface Page {
  readonly url: string
  readonly name: string
}

const WINDOW = { width: 1_200, height: 720 }

/** One request for the addresses, or the requests of a file. `-` is the input. */
export async function toOrders(
  addresses: readonly string[],
  given: Given & { readonly from?: string },
): Promise<Order[]> {
  const { from, loadingTime, failOnStatus, ...options } = given
  const read = await readSources(addresses.includes('-'), from)
  const lines = [...addresses.filter((each) => each !== '-'), ...read.lines]
  const pages = readPageLines(lines.join('\n')).map(({ url, name }) => ({ url, name }))
  if (pages.length > 0 && read.requests.length > 0) {
    throw new AppError(
      'bad_request',
      'the requests already contain addresses: give addresses or requests, not both',
    )
  }
  if (pages.length + read.requests.length === 0) {
    throw new AppError('bad_request', 'there is no address to capture')
  }
  const fields = await toFields(options)
  const finish = (request: Fields): ScreenshotRequest =>
    complete(request, { loadingTime, ...(failOnStatus && { failOn: 'status' }) })
  if (read.requests.length > 0) {
    return read.requests.map(({ request, name }) => ({
      request: isObject(request) ? finish(withFields(request, fields)) : (request as ScreenshotRequest),
      tell: ({ pointer, detail }) => `${printable(name)}: ${pointer} ${detail}`,
    }))
  }
  const preset = 'sizes' in fields || 'device' in fields ? {} : WINDOW
  const request = finish({ screenshotParameter: { ...preset, ...fields }, urls: pages })
  return [{ request, tell: (mistake) => tellPage(mistake, pages) ?? tellOption(mistake) }]
}

/** Throws `bad_request` with all mistakes of all orders. */
export function refuseMistakes(orders: readonly Order[], limits: RequestLimits): void {
  const told = orders.flatMap(({ request, tell }) => {
    const { mistakes = [] } = parseScreenshotRequest(request, limits)
    return mistakes.map(tell)
  })
  if (told.length > 0) throw new AppError('bad_request', told.map((line) => printable(line)).join('\n'))
}

interface Sources {
  readonly lines: readonly string[]
  readonly requests: readonly { readonly request: unknown; readonly name: string }[]
}

async function readSources(input: boolean, from: string | undefined): Promise<Sources> {
  if (input && from === '-') throw new AppError('bad_request', 'the input can be read only once')
  const paths = [input ? '-' : [], from ?? []].flat()
  const sources = await Promise.all(paths.map(readSource))
  return {
    lines: sources.flatMap(({ lines }) => lines),
    requests: sources.flatMap(({ requests }) => requests),
  }
}

/** JSON is a request, or a list of requests. Other text has one address per line. */
async function readSource(path: string): Promise<Sources> {
  const name = path === '-' ? 'input' : path
  const text = path === '-' ? await readAll(process.stdin) : await readText('--from', path)
  if (!/^\s*[[{]/.test(text)) return { lines: text.split('\n'), requests: [] }
  const json = parseJson(text, name)
  const requests = Array.isArray(json)
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
    throw new AppError('bad_request', `${printable(name)} is not valid JSON${place}`)
  }
}

/** Options of the command replace the same fields of a request. Options of a single page stay. */
function withFields(request: Fields, fields: Fields): Fields {
  const before = request['screenshotParameter']
  const replaced = 'sizes' in fields ? ['width', 'height', 'sizes'] : hasWindow(fields) ? ['sizes'] : []
  const kept = isObject(before) ? Object.entries(before).filter(([name]) => !replaced.includes(name)) : []
  return { ...request, screenshotParameter: { ...Object.fromEntries(kept), ...fields } }
}

function hasWindow(fields: Fields): boolean {
  return 'width' in fields || 'height' in fields
}

function complete(
  { urls, ...request }: Fields,
  { loadingTime, ...more }: { loadingTime: number | undefined; failOn?: 'status' },
): ScreenshotRequest {
  const pages =
    loadingTime === undefined || !Array.isArray(urls)
      ? urls
      : urls.map((page) => (isObject(page) ? { ...page, loadingTime } : page))
  return { ...request, urls: pages, ...more } as ScreenshotRequest
}

/** A mistake in a page names its address. */
function tellPage({ pointer, detail }: Mistake, pages: readonly Page[]): string | undefined {
  const [, index, field = ''] = /^#\/urls\/(\d+)\/(.*)$/.exec(pointer) ?? []
  const page = index === undefined ? undefined : pages[Number(index)]
  return page && `${printable(page.url)} ${field === 'url' ? '' : `${field} `}${detail}`
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
