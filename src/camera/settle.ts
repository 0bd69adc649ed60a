import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'
import { unveil, whenDrawn } from './in-page/unveil.ts'

/** A page with scripts may ask for more once it has what it asked for. */
const QUIET_MS = 500
const LOOK_MS = 25

/** What has no end, and is nothing that a page waits for before it shows itself. */
const ENDLESS = ['eventsource', 'websocket', 'media', 'ping']

export type Network = ReturnType<typeof watchNetwork>

/** Counts what a page is waiting for. Begin before the page does. */
export function watchNetwork(page: Page) {
  const open = new Set<Request>()
  let last = performance.now()
  const began = (request: Request) => {
    if (ENDLESS.includes(request.resourceType())) return
    open.add(request)
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
    /** How much is still on its way. */
    waitsFor: () => open.size,
  }
}

/**
 * Resolves when the page shows what it is going to show: loaded, with its fonts, and nothing more on its way. A page
 * without scripts cannot ask for more than it has. `unveilTo` is how far down a full page is shown.
 */
export async function settle(
  page: Page,
  network: Network,
  { unveilTo, signal }: { unveilTo: number | undefined; signal: AbortSignal },
): Promise<void> {
  await page.waitForLoadState('load', { timeout: 0 })
  if (unveilTo !== undefined) await page.evaluate(unveil, unveilTo)
  const scripted = await page.evaluate(whenDrawn)
  await network.quiet(scripted ? QUIET_MS : 0, signal)
}
