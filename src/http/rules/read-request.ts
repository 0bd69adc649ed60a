import { parseScreenshotRequest, type RequestLimits } from '../../contract/screenshot-request.ts'
import { AppError } from '../../errors.ts'
import { outlineJson } from './json-outline.ts'

/** Bytes that are not UTF-8 are refused, not replaced. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** A valid request has a depth of eight. Up to this depth, mistakes are reported with their position. */
const MAX_DEPTH = 32
/** Enough names and values for a page with options of its own: some clicks, cookies and effects. */
const PARTS_OF_A_PAGE = 60
/** For the rest of a request, and for mistakes, to report them. */
const OTHER_PARTS = 4_000
/** The end of a message of the parser: a part of the body. It may be a password. */
const QUOTED = /, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s

/** Reads a request. Throws `bad_request` with all its mistakes. Takes milliseconds for any body. */
export function readRequest(body: Buffer, limits: RequestLimits) {
  const { asked, when, mistakes } = parseScreenshotRequest(parseJson(body, limits), limits)
  if (!asked) throw new AppError('bad_request', 'the request has mistakes: see errors', { mistakes })
  return { asked, when }
}

/** Throws `bad_request` if these bytes, or the beginning of a body, have too many parts to be parsed. */
export function requireFewParts(body: Buffer, { urls }: RequestLimits): void {
  const most = { parts: OTHER_PARTS + PARTS_OF_A_PAGE * urls, depth: MAX_DEPTH }
  const { parts, depth } = outlineJson(body, most)
  if (depth > most.depth)
    throw wrongBody('the body is nested too deep', `is nested deeper than ${most.depth}`)
  if (parts > most.parts) {
    throw wrongBody('the body has too many parts', `has more than ${most.parts} names and values`)
  }
}

/** Throws `bad_request`. */
export function parseJson(body: Buffer, limits: RequestLimits): unknown {
  requireFewParts(body, limits)
  try {
    return JSON.parse(UTF8.decode(body))
  } catch (error) {
    throw wrongBody('the body is not JSON', `is not JSON: ${(error as Error).message.replace(QUOTED, '')}`)
  }
}

function wrongBody(message: string, detail: string): AppError {
  return new AppError('bad_request', message, { mistakes: [{ pointer: '#', detail }] })
}
