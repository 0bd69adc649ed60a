import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { request as httpRequest } from '../node-http.ts'
import { EgressError, type Failures } from './failure.ts'
import type { Meter } from './meter.ts'
import type { Reach } from './reach.ts'
import { nameTarget, type Target } from './target.ts'

/** As much as Chromium accepts. */
export const MAX_HEADER_BYTES = 256 * 1024

/** Without a length, these methods have no body. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])
/** Headers that concern one connection and are never passed on (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

export interface Way {
  readonly reach: Reach
  readonly meter: Meter
  readonly failures: Failures
}

/**
 * Plain http: each request gets its own connection to the site. If anything fails, the browser's connection is
 * destroyed: a page must not take an answer of ours for an answer of the site.
 */
export async function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  { target, path }: { target: Target; path: string },
  { reach, meter, failures }: Way,
): Promise<void> {
  const gone = new AbortController()
  const giveUp = () => asked.socket.destroy()
  answer.once('close', () => gone.abort())
  answer.on('error', giveUp)
  asked.on('error', giveUp)
  let outside: Socket
  try {
    outside = await reach(target, gone.signal)
  } catch {
    giveUp()
    return
  }
  answer.once('close', () => {
    outside.destroy()
    // Read the rest of the body, or it blocks the browser's connection.
    asked.unpipe()
    asked.resume()
  })
  const count = meter.countFrom(outside)
  const request = httpRequest({
    createConnection: () => outside,
    method: asked.method,
    path,
    headers: headersFor(asked, target),
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  })
  request.on('information', count)
  let given: IncomingMessage | undefined
  const breakOff = (why: string) => {
    // A complete answer counts: sites may refuse an upload in its middle. An answer without a length is not
    // complete yet when the error comes.
    if (given?.complete || asked.socket.destroyed) return
    const detail = `${nameTarget(target)} broke off before it answered (${why})`
    if (!answer.headersSent) failures.record(target, new EgressError('unreachable', detail))
    giveUp()
  }
  request.on('error', (error: NodeJS.ErrnoException) => breakOff(error.code ?? error.message))
  // If an answer switches protocols unasked, Node closes without an error.
  request.once('close', () => breakOff('no answer'))
  request.on('response', (response) => {
    given = response.on('data', count)
    try {
      answer.sendDate = false
      answer.writeHead(given.statusCode ?? 0, given.statusMessage, passOn(given.rawHeaders))
    } catch (error) {
      // Node accepts some headers that it refuses to write.
      breakOff((error as Error).message)
      return
    }
    pipeline(given, answer, (error) => error && giveUp())
  })
  asked.pipe(request)
}

function headersFor(asked: IncomingMessage, target: Target): string[] {
  const host = target.port === 80 ? nameTarget(target).replace(/:80$/, '') : nameTarget(target)
  const headers = ['Host', host, ...passOn(asked.rawHeaders, 'host', 'expect'), 'Connection', 'close']
  const coding = asked.headers['transfer-encoding']
  if (coding !== undefined) headers.push('Transfer-Encoding', coding)
  else if (asked.headers['content-length'] === undefined && !BODILESS.has(asked.method ?? '')) {
    headers.push('Content-Length', '0')
  }
  return headers
}

/** The headers to pass on, as name, value, name, value …: as they were sent, with duplicates. */
function passOn(rawHeaders: readonly string[], ...dropped: readonly string[]): string[] {
  const names = rawHeaders.filter((_, at) => at % 2 === 0)
  const pairs = names.map((name, at) => [name, rawHeaders[2 * at + 1] ?? ''] as const)
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((token) => token.trim().toLowerCase())
  const gone = new Set([...dropped, ...named])
  return pairs.flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    return HOP_BY_HOP.has(lower) || lower.startsWith('proxy-') || gone.has(lower) ? [] : [name, value]
  })
}
