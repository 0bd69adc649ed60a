import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession } from 'playwright-core'

/** The process of a page announces a navigation before the browser begins it, but the two messages may overtake each other. */
const ANNOUNCED_MS = 1_000
const LOOK_MS = 10
/** A page may announce navigations that it then never begins: a router shows something else, a second one replaces the first. */
const FORGET_MS = 300

interface Announced {
  readonly address: string
  readonly reason: string
  readonly at: number
}

interface Begun {
  readonly address: string
  readonly isReload: boolean
  /** Why the page's own process begins it. Undefined: another process does, or the browser. */
  reason: string | undefined
  /** When it was announced, if that was heard too late. A router may still show something else instead. */
  late?: number
}

/**
 * Tells which navigations of a page were begun by its own process. A frame of another site has another one, if the browser is `ISOLATED`.
 * `onFragment` is called when another process leads the page to a fragment of its document, or through its history, without a request.
 * (If the page itself goes back, that looks the same.)
 */
export function watchNavigations(session: CDPSession, main: string, onFragment: () => void) {
  let announced: Announced[] = []
  /** By loader. */
  const begun = new Map<string, Begun>()
  let last: Begun | undefined
  /** Those that may still begin, except for one address. */
  const fresh = (except?: string) => {
    const since = performance.now() - FORGET_MS
    return announced.filter(({ address, at }) => at > since && address !== except)
  }
  /** A page can announce several times that it is loaded again, and is loaded once. */
  const fits = ({ reason }: Pick<Announced, 'reason'>, isReload: boolean) => isReload || reason !== 'reload'
  session.on('Page.frameRequestedNavigation', ({ frameId, url, reason }) => {
    if (frameId !== main) return
    const address = addressOf(url)
    const isOfLast = last?.address === address && last.reason === undefined && fits({ reason }, last.isReload)
    if (last && isOfLast) Object.assign(last, { reason, late: performance.now() })
    else announced = [...fresh(address), { address, reason, at: performance.now() }]
  })
  session.on('Page.frameStartedNavigating', ({ frameId, url, loaderId, navigationType }) => {
    if (frameId !== main) {
      // The history is that of the page: a frame of another site can lead own frames back.
      if (/^history/.test(navigationType)) onFragment()
      return
    }
    if (/sameDocument$/i.test(navigationType)) return onFragment()
    const address = addressOf(url)
    // Only documents of the same origin can have a page loaded again.
    const isReload = /^reload/.test(navigationType)
    const found = fresh().find((each) => each.address === address && fits(each, isReload))
    last = { address, isReload, reason: found?.reason ?? (isReload ? 'reload' : undefined) }
    announced = fresh(address)
    begun.set(loaderId, last)
  })
  session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    if (frameId !== main) return
    const address = addressOf(url)
    announced = fresh(address)
    if (last?.address === address && last.late !== undefined) last.reason = undefined
  })
  return {
    /** Whether the page's own process began the navigation with this loader, in a way that has this method. */
    async isOwn(loaderId: string, method: string): Promise<boolean> {
      for (
        const end = performance.now() + ANNOUNCED_MS + FORGET_MS;
        performance.now() < end;
        await sleep(LOOK_MS)
      ) {
        const { reason, late = Number.NEGATIVE_INFINITY } = begun.get(loaderId) ?? {}
        if (reason !== undefined && performance.now() > late + FORGET_MS) {
          return reason === 'reload' || (reason === 'formSubmissionPost') === (method === 'POST')
        }
      }
      return false
    },
  }
}

/** The browser may ask for an http address by https. */
function addressOf(url: string): string {
  return url.replace(/^http:/, 'https:')
}
