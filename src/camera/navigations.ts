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
  /** Why the page's own process begins it. Undefined: another process does, or the browser. */
  reason: string | undefined
}

/** Which navigations of a page were begun by its own process. A frame of another site has another one, if the browser is `ISOLATED`. */
export class Navigations {
  #announced: Announced[] = []
  /** By loader. */
  readonly #begun = new Map<string, Begun>()
  #last: Begun | undefined

  /**
   * `onFragment` is called when another process leads the page to a fragment of its document, or through its history, without a request.
   * (If the page itself goes back, that looks the same.)
   */
  constructor(session: CDPSession, main: string, onFragment: () => void) {
    session.on('Page.frameRequestedNavigation', ({ frameId, url, reason }) => {
      if (frameId === main) this.#announce(addressOf(url), reason)
    })
    session.on('Page.frameStartedNavigating', ({ frameId, url, loaderId, navigationType }) => {
      if (frameId !== main) return
      if (/sameDocument$/i.test(navigationType)) onFragment()
      else this.#begin(addressOf(url), loaderId, /^reload/.test(navigationType) ? 'reload' : undefined)
    })
  }

  /** Whether the page's own process began the navigation with this loader, in a way that has this method. */
  async isOwn(loaderId: string, method: string): Promise<boolean> {
    for (const end = performance.now() + ANNOUNCED_MS; performance.now() < end; await sleep(LOOK_MS)) {
      const reason = this.#begun.get(loaderId)?.reason
      if (reason !== undefined) {
        return reason === 'reload' || (reason === 'formSubmissionPost') === (method === 'POST')
      }
    }
    return false
  }

  #announce(address: string, reason: string): void {
    if (this.#last?.address === address && this.#last.reason === undefined) this.#last.reason = reason
    else this.#announced = [...this.#fresh(address), { address, reason, at: performance.now() }]
  }

  /** Only documents of the same origin can have a page loaded again: then `reason` is given. */
  #begin(address: string, loaderId: string, reason?: 'reload'): void {
    const announced = this.#fresh().find((each) => each.address === address)
    this.#last = { address, reason: announced?.reason ?? reason }
    this.#announced = this.#fresh(address)
    this.#begun.set(loaderId, this.#last)
  }

  /** Those that may still begin, except for one address. */
  #fresh(except?: string): Announced[] {
    const since = performance.now() - FORGET_MS
    return this.#announced.filter(({ address, at }) => at > since && address !== except)
  }
}

/** The browser may ask for an http address by https. */
function addressOf(url: string): string {
  return url.replace(/^http:/, 'https:')
}
