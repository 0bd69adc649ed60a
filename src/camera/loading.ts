import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page, Request } from 'playwright-core'
import { unveil, whenDrawn } from './in-page/unveil.ts'
import { hearsScrolling } from './scrolling.ts'

/** A page with scripts may ask for more once it has what it asked for. */
const QUIET_MS = 500
/** One that did so after it was loaded is waited for longer: it may show for a moment that it did. */
const LIVELY_MS = 700
const LOOK_MS = 25

/** What has no end, and is nothing that a page waits for before it shows itself. */
const ENDLESS = ['eventsource', 'websocket', 'media', 'ping']

export type Network = ReturnType<typeof watchNetwork>

/** Counts what a page is waiting for. Begin before the page does. */
export function watchNetwork(page: Page) {
  const open = new Set<Request>()
  let last = performance.now()
  let count = 0
  const began = (request: Request) => {
    if (ENDLESS.includes(request.resourceType())) return
    open.add(request)
    count++
    last = performance.now()
  }
  const ended = (request: Request) => {
    if (open.delete(request)) last = performance.now()
  }
  page.on('request', began)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return {
    /** Resolves when nothing was asked for or came for `quietMs`. */
    async quiet(quietMs: number, signal: AbortSignal): Promise<void> {
      while (open.size > 0 || performance.now() - last < quietMs) {
        const rest = quietMs - (performance.now() - last)
        await sleep(open.size > 0 ? LOOK_MS : Math.max(1, rest), undefined, { signal })
      }
    },
    /** How much was asked for. */
    count: () => count,
    /** How much is still on its way. */
    waitsFor: () => open.size,
  }
}

export interface Loaded {
  /** It may change by itself. */
  readonly scripted: boolean
  /** Resolves when all of the page is there, and nothing more is on its way. A page without scripts asks for no more. */
  readonly complete: () => Promise<void>
}

/** Resolves when the page is loaded, with its fonts. A full page is completed down to `unveilTo`. */
export async function whenLoaded(
  page: Page,
  session: CDPSession,
  network: Network,
  { unveilTo, signal }: { unveilTo: number | undefined; signal: AbortSignal },
): Promise<Loaded> {
  await page.waitForLoadState('load', { timeout: 0 })
  const loaded = network.count()
  const scripted = await page.evaluate(whenDrawn)
  const complete = async () => {
    // What a script has not made yet cannot be unveiled.
    if (scripted) await network.quiet(QUIET_MS, signal)
    if (unveilTo !== undefined) {
      const hears = scripted && (await hearsScrolling(session))
      await page.evaluate(unveil, { most: hears ? unveilTo : 0, listens: hears === 'listens' })
    }
    const isLively = scripted && network.count() > loaded
    await network.quiet(isLively ? LIVELY_MS : scripted ? QUIET_MS : 0, signal)
  }
  return { scripted, complete }
}
