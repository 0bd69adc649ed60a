import type { Socket } from 'node:net'
import type { Meter } from './meter.ts'
import type { Reach } from './reach.ts'
import type { Target } from './target.ts'

const ANSWERS = { 400: 'Bad Request', 502: 'Bad Gateway' } as const

/** Answers without a body and hangs up. */
export function refuse(browser: Socket, status: keyof typeof ANSWERS): void {
  browser.end(`HTTP/1.1 ${status} ${ANSWERS[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  browser.destroySoon()
}

/** CONNECT: bytes both ways, whatever they mean. */
export async function tunnel(
  browser: Socket,
  head: Buffer,
  target: Target,
  reach: Reach,
  meter: Meter,
): Promise<void> {
  const gone = new AbortController()
  browser.once('close', () => gone.abort())
  let outside: Socket
  try {
    outside = await reach(target, gone.signal)
  } catch {
    // The same answer for every reason: a page could show in its picture what it learns about a private network.
    refuse(browser, 502)
    return
  }
  browser.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) outside.write(head)
  outside.on('data', meter.countFrom(outside))
  pour(browser, outside)
  pour(outside, browser)
}

/** Both ends close in the same way: in order, or by a reset. */
function pour(from: Socket, to: Socket): void {
  from.pipe(to)
  from.once('close', (hadError) => {
    if (hadError) to.resetAndDestroy()
    else if (from.readableEnded) to.destroySoon()
    else to.destroy()
  })
}
