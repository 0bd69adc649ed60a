import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page, Request } from 'playwright-core'
import { inEveryClosedRoot, inEveryFrame } from './every-frame.ts'
import { endOf, hasFrameBelow, reveal, unveil, whenDrawn } from './in-page/unveil.ts'
import type { Visit } from './visit.ts'

/** A page with scripts may send more requests after an answer: the network must be quiet for this long. */
export const QUIET_MS = 500
/** If it sent requests after it was loaded, it must be quiet for longer: it may show a notice for a moment. */
const LIVELY_MS = 700
const LOOK_MS = 25
/** A page that becomes longer when one is at its end is followed so often. Some have no end. */
const MOST_MORE = 5

/** These requests may never end, and pages do not need them to be complete. */
const ENDLESS = ['eventsource', 'websocket', 'media', 'ping']
/** Where pages listen for scrolling. */
const SCROLLED = ['window', 'document', 'document.documentElement', 'document.body']

export type Network = ReturnType<typeof observeNetwork>

/** Counts the open requests of a page. Call it before the page loads. */
export function observeNetwork(page: Page) {
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
  let lookedAt = 0
  /** The browser does not say how a request for a shared worker ends. Looks for them if nothing else happens. */
  const endSharedWorkers = async () => {
    const now = performance.now()
    if (now - Math.max(last, lookedAt) < QUIET_MS) return
    lookedAt = now
    const scripts = [...open].filter((request) => request.resourceType() === 'script')
    if (scripts.length === 0) return
    const workers = await findSharedWorkers(page)
    for (const request of scripts) if (workers.has(request.url())) ended(request)
  }
  page.on('request', began)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return {
    /** Resolves when there was no request and no answer for `quietMs`. */
    async quiet(quietMs: number, signal: AbortSignal): Promise<void> {
      while (open.size > 0 || performance.now() - last < quietMs) {
        if (open.size > 0) await endSharedWorkers()
        const rest = quietMs - (performance.now() - last)
        await sleep(open.size > 0 ? LOOK_MS : Math.max(1, rest), undefined, { signal })
      }
    },
    count: () => count,
    /** Number of requests without an answer. */
    waitsFor: () => open.size,
  }
}

export interface Loaded {
  /** It may change by itself. */
  readonly scripted: boolean
  /** Resolves when the whole page is loaded and the network is quiet. */
  readonly complete: () => Promise<void>
}

/** Resolves when the page is loaded, with its fonts. `complete` loads a full page down to `unveilTo`. */
export async function whenLoaded(
  page: Page,
  session: CDPSession,
  network: Network,
  { visit, unveilTo, signal }: { visit: Visit; unveilTo: number | undefined; signal: AbortSignal },
): Promise<Loaded> {
  const broken = visit.whenBroken(signal).then(async () => {
    // What it has named until then may still come.
    await network.quiet(QUIET_MS, signal)
    await session.send('Page.stopLoading')
  })
  await Promise.race([page.waitForLoadState('load', { timeout: 0 }), broken])
  const loaded = network.count()
  // A page does not count the frames in its shadow roots.
  const scripted = (await page.evaluate(whenDrawn)) || page.frames().length > 1
  const unveilAll = async (most: number) => {
    let [from, frames] = [0, '']
    for (let round = 0; round <= MOST_MORE; round++) {
      const framesNow = framesOf(page)
      const hasNewFrames = framesNow !== frames
      if (round > 0 && !hasNewFrames && (await page.evaluate(endOf, most)) <= from) return
      if (round === 0 || hasNewFrames) {
        await inEveryFrame(page, (frame) => frame.evaluate(reveal, undefined))
        await inEveryClosedRoot(session, reveal)
      }
      frames = framesNow
      // What is in a frame sees the window of the page, but does not tell the page that it looks.
      const inFrame = frames !== '' && (await page.evaluate(hasFrameBelow))
      if (inFrame && hasNewFrames) from = 0
      const hears = scripted && (inFrame ? 'listens' : await hearsScrolling(session))
      from = await page.evaluate(unveil, { most: hears ? most : 0, listens: hears === 'listens', from })
      if (!hears) return
      await network.quiet(QUIET_MS, signal)
    }
  }
  const complete = async () => {
    // Scripts must have run first: they make what is to be unveiled.
    if (scripted) await network.quiet(QUIET_MS, signal)
    if (unveilTo !== undefined) await unveilAll(unveilTo)
    const isLively = scripted && network.count() > loaded
    await network.quiet(isLively ? LIVELY_MS : scripted ? QUIET_MS : 0, signal)
  }
  return { scripted, complete }
}

/** The documents that are in frames now. */
function framesOf(page: Page): string {
  const [, ...frames] = page.frames()
  return frames.map((frame) => frame.url()).join(' ')
}

/** Addresses of the shared workers that run in the browser of a page. Only the browser itself knows them. */
async function findSharedWorkers(page: Page): Promise<ReadonlySet<string>> {
  const session = await page.context().browser()?.newBrowserCDPSession()
  try {
    const found = await session?.send('Target.getTargets', { filter: [{ type: 'shared_worker' }] })
    return new Set(found?.targetInfos.map(({ url }) => url))
  } finally {
    await session?.detach().catch(() => {})
  }
}

/** Whether a script of the page reacts to scrolling: by a listener, or by observing what becomes visible. */
async function hearsScrolling(session: CDPSession): Promise<'listens' | 'observes' | false> {
  const objectGroup = 'scrolling'
  const find = async (expression: string) =>
    (await session.send('Runtime.evaluate', { expression, objectGroup })).result.objectId
  try {
    for (const expression of SCROLLED) {
      const objectId = await find(expression)
      if (objectId === undefined) continue
      const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId })
      if (listeners.some(({ type }) => /^(scroll|scrollend|wheel)$/.test(type))) return 'listens'
    }
    const prototypeObjectId = await find('IntersectionObserver.prototype')
    if (prototypeObjectId === undefined) return false
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId, objectGroup })
    const { result } = await session.send('Runtime.callFunctionOn', {
      ...{ objectId: objects.objectId ?? '', returnByValue: true },
      functionDeclaration: 'function () { return this.length }',
    })
    return result.value > 0 && 'observes'
  } finally {
    await session.send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => {})
  }
}
