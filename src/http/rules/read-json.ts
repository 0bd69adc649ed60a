import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLimits } from '../../contract/screenshot-request.ts'
import { AppError } from '../../errors.ts'
import { msOfStored } from '../../shares/pace.ts'
import { otherWork } from '../../work/other-work.ts'
import { whenClosed } from '../answers/when-closed.ts'
import { clientOf, type HttpContext, type Server } from '../context.ts'
import { outlineJson } from './json-outline.ts'
import { createReadBody } from './read-body.ts'

/** Bytes that are not UTF-8 are refused, not replaced. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** A valid request has a depth of eight. Up to this depth, mistakes are reported with their position. */
const MAX_DEPTH = 32
/** Enough names and values for a page with options of its own: some clicks, cookies and effects. */
const PARTS_OF_A_PAGE = 60
/** For the rest of a request, and for mistakes, to report them. */
const OTHER_PARTS = 4_000
/** Bytes of a request that is not parsed and checked in one go, and that waits for others of its client. */
export const LARGE = 65_536
/** The end of a message of the parser: a part of the body. It may be a password. */
const QUOTED = /, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s

/** The operations of this scope take a JSON body, or none. All other types of content are refused. */
export function createReadJson(scope: Server, context: HttpContext) {
  const { config, pace, turns } = context
  const readBody = createReadBody(scope, context)
  // Web pages of other sites can send every other type without permission (CSRF).
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', (_request, _body, done) => done(null))
  /**
   * Reads and parses the body of a request, and has it checked by `read` in the same turn of the client. `absent`: what no body
   * stands for; without it, a body must be there. Throws `bad_request` for what is not JSON. Takes milliseconds for any body.
   */
  return async <T>(
    request: FastifyRequest,
    reply: FastifyReply,
    { read, absent }: { read: (body: unknown) => T; absent?: unknown },
  ): Promise<T> => {
    const body = await readBody(request, reply, (beginning) => requireFewParts(beginning, config.limits))
    const isAbsent = absent !== undefined && body.length === 0
    if (body.length > LARGE) {
      await pace.wait(clientOf(request), msOfStored(body.length), whenClosed(reply.raw))
    }
    return await turns.run(clientOf(request), async () => {
      const value = isAbsent ? absent : parseJson(body, config.limits)
      if (body.length > LARGE) await otherWork()
      return read(value)
    })
  }
}

/** Throws `bad_request` if these bytes, or the beginning of a body, have too many parts to be parsed. */
function requireFewParts(body: Buffer, { urls }: RequestLimits): void {
  const most = { parts: OTHER_PARTS + PARTS_OF_A_PAGE * urls, depth: MAX_DEPTH }
  const { parts, depth } = outlineJson(body, most)
  if (depth > most.depth)
    throw wrongBody('the body is nested too deep', `is nested deeper than ${most.depth}`)
  if (parts > most.parts) {
    throw wrongBody('the body has too many parts', `has more than ${most.parts} names and values`)
  }
}

function parseJson(body: Buffer, limits: RequestLimits): unknown {
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
