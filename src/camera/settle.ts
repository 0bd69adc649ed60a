import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

/** A page with scripts may ask for more once it has what it asked for. */
const QUIET_MS = 500
const LOOK_MS = 25

/** What has no end, and is nothing that a page waits for before it shows itself. */
const ENDLESS = ['eventsource', 'websocket', 'media', 'ping']

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
  }
}

/**
 * Resolves when the page shows what it is going to show: loaded, with its fonts, and nothing more on its way. A page
 * without scripts cannot ask for more than it has.
 */
export async function settle(
  page: Page,
  network: ReturnType<typeof watchNetwork>,
  { fullPage, signal }: { fullPage: boolean; signal: AbortSignal },
): Promise<void> {
  await page.waitForLoadState('load', { timeout: 0 })
  const scripted = await page.evaluate(prepare, fullPage)
  await network.quiet(scripted ? QUIET_MS : 0, signal)
}

/** Runs in the page. Answers whether it could still change by itself. */
async function prepare(fullPage: boolean): Promise<boolean> {
  const page = globalThis as unknown as PageGlobals
  const frame = () => new Promise((resolve) => page.requestAnimationFrame(resolve))
  if (fullPage) {
    // What would load or appear when it is scrolled to is in the picture, too.
    for (const element of page.document.querySelectorAll('[loading=lazy]')) element.loading = 'eager'
    const { scrollY: before, innerHeight } = page
    for (let step = 1; step < 50 && step * innerHeight < page.document.documentElement.scrollHeight; step++) {
      page.scrollTo({ top: step * innerHeight, behavior: 'instant' })
      await frame()
    }
    page.scrollTo({ top: before, behavior: 'instant' })
  }
  await page.document.fonts.ready
  // With everything in it.
  await frame()
  return page.document.scripts.length > 0 || page.frames.length > 0
}

/** Of the browser's globals, what is used here; this program is no web page. */
interface PageGlobals {
  readonly document: {
    readonly fonts: { readonly ready: Promise<unknown> }
    readonly scripts: { readonly length: number }
    readonly documentElement: { readonly scrollHeight: number }
    querySelectorAll(selector: string): Iterable<{ loading: string }>
  }
  readonly innerHeight: number
  readonly scrollY: number
  scrollTo(place: { top: number; behavior: 'instant' }): void
  readonly frames: { readonly length: number }
  requestAnimationFrame(then: (value: unknown) => void): void
}
