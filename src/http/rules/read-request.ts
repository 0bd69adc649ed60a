import { parseScreenshotRequest, type RequestLimits } from '../../contract/screenshot-request.ts'
import { AppError } from '../../errors.ts'
import { outlineJson } from './json-outline.ts'

/** What is something else must not be taken for something like it. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** A request is four deep. More than that is wrong anyway, and may still be told where. */
const MAX_DEPTH = 32
/** Names and values of a page are seven, of all the rest some seventy. The others are there to be wrong, and told so. */
const PARTS_OF_A_PAGE = 10
const OTHER_PARTS = 4_000

/** What a body asks for. Throws `bad_request` with all that is wrong with it. Takes milliseconds, whatever it holds. */
export function readRequest(body: Buffer, limits: RequestLimits) {
  const { asked, mistakes } = parseScreenshotRequest(parseJson(body, limits), limits)
  if (!asked) throw new AppError('bad_request', 'the request has mistakes: see errors', { mistakes })
  return asked
}

/** Throws `bad_request` where so much stands in these bytes, or in the beginning of more, that nothing is made of it. */
export function requireFewParts(body: Buffer, { urls }: RequestLimits): void {
  const most = { parts: OTHER_PARTS + PARTS_OF_A_PAGE * urls, depth: MAX_DEPTH }
  const { parts, depth } = outlineJson(body, most)
  if (depth > most.depth)
    throw wrongBody('the body is nested too deep', `is nested deeper than ${most.depth}`)
  if (parts > most.parts) {
    throw wrongBody('the body holds too much', `holds more than ${most.parts} names and values`)
  }
}

function parseJson(body: Buffer, limits: RequestLimits): unknown {
  requireFewParts(body, limits)
  try {
    return JSON.parse(UTF8.decode(body))
  } catch (error) {
    throw wrongBody('the body is not JSON', `is not JSON: ${(error as Error).message}`)
  }
}

function wrongBody(message: string, detail: string): AppError {
  return new AppError('bad_request', message, { mistakes: [{ pointer: '#', detail }] })
}
