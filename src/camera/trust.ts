import type { CDPSession, Frame, Page } from 'playwright-core'
import { CaptureFailure } from './camera.ts'
import { hostOf } from './failures.ts'
import { createFrames, type Frames, outermostOf } from './frames.ts'
import { watchNavigations } from './navigations.ts'
import { before } from './patience.ts'
import { idOf, originOf, type Paused, senderOf, withoutHash } from './paused.ts'
import { Strangers } from './strangers.ts'

// Who decided what a page with secrets is asked for. The giver of the secrets chose its address. Documents of home origins may go on from
// there. A frame of another site may not, nor may a site on the way. Decision 26.

/**
 * `trusted`: the giver of the secrets, or a document of a home origin, asks for it. `refused`: a frame of another site would move the
 * whole page.
 */
export type Verdict = 'trusted' | 'untrusted' | 'refused'

const NO_ORIGIN = 'null'
/** A navigation waits so long for the origins of the documents in frames. */
const LOOKED_MS = 1_000

export class Trust {
  readonly #page: Page
  readonly #session: CDPSession
  readonly #frames: Frames
  readonly #navigations: ReturnType<typeof watchNavigations>
  readonly #given: URL
  readonly #home: readonly string[]
  readonly #main: string
  /** We open the page again at the moment. */
  #isReopening = false
  /** See `guide`. */
  #guide: string | undefined
  /** The page itself was elsewhere, or was led to a fragment. */
  #isLed = false
  /** The page was led to a fragment, or through its history. */
  #isMoved = false
  #isAtHome = true
  /** Documents may be shown whose requests were not paused. */
  #hasPrefetched = false
  /** A document of no origin (sandboxed, or of a `data:` address) may share the process of the page. */
  #isShared = false
  /** Frames whose origin is being asked for. */
  readonly #looks = new Set<Promise<void>>()
  /** Frames that have had a process of their own. */
  readonly apart = new Set<string>()
  /** Frames that another origin was asked for a document in. */
  readonly #strayed = new Set<string>()
  readonly #strangers: Strangers
  #isEmbedded = false
  /** Requests of other origins. They may lead to the own origin. */
  readonly #detours = new Set<string>()
  /** Documents of the page itself, and whether they are trusted. */
  readonly #pages = new Map<string, boolean>()
  /** By request: whether such a document began it. */
  readonly #byPage = new Map<string, Promise<boolean>>()

  /** Call it before the page loads. It needs a browser with `ISOLATED` sites. */
  static async of(page: Page, session: CDPSession, url: string, home: readonly string[]): Promise<Trust> {
    const trust = new Trust(page, session, url, home, await outermostOf(session))
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) trust.#noteShown(frame)
    })
    session.on('Page.navigatedWithinDocument', ({ frameId, navigationType }) => {
      // An own document in a frame of another site is in the process of the page.
      if (frameId === trust.#main && navigationType === 'fragment' && trust.#isEmbedded) trust.#isMoved = true
    })
    session.on('Preload.prefetchStatusUpdated', () => {
      trust.#hasPrefetched = true
    })
    await session.send('Preload.enable')
    await session.send('Page.enable')
    // A page made ahead of time is shown without a request that could be judged.
    await session.send('Page.setPrerenderingAllowed', { isAllowed: false })
    page.on('framenavigated', (frame) => trust.#noteFrame(frame))
    return trust
  }

  private constructor(page: Page, session: CDPSession, url: string, home: readonly string[], main: string) {
    this.#page = page
    this.#session = session
    this.#strangers = new Strangers(page, session)
    this.#frames = createFrames(session)
    this.#navigations = watchNavigations(session, main, () => this.#noteMove())
    this.#given = new URL(url)
    this.#home = home
    this.#main = main
  }

  isPage({ resourceType, frameId }: Paused): boolean {
    return resourceType === 'Document' && frameId === this.#main
  }

  /** Whether this document may have secrets. */
  isTrusted({ loaderId }: { readonly loaderId: string }): boolean {
    return this.#pages.get(loaderId) === true
  }

  /** Whether the request for this document was paused. */
  isJudged({ loaderId }: { readonly loaderId: string }): boolean {
    return this.#pages.has(loaderId)
  }

  /** Call it for each request, as soon as it is paused. */
  async judge(paused: Paused): Promise<Verdict> {
    const isHome = this.#isHome(paused.request.url)
    if (this.isPage(paused)) return await this.#judgePage(paused, isHome)
    const id = idOf(paused)
    if (!isHome) this.#detours.add(id)
    if (paused.resourceType === 'Document') {
      if (!isHome) this.#noteStranger(paused)
      else if (await this.#hasStrayed(paused.frameId)) this.#noteEmbedded()
    }
    const isTrusted = isHome && !this.#detours.has(id) && (await this.#isAsked(paused))
    return isTrusted ? 'trusted' : 'untrusted'
  }

  /**
   * Another origin that may have chosen what the page shows: it was asked for the page itself, or has chosen an own document in a frame (which
   * can write into the page), or a fragment. Also the address that was given may show then what that origin has left there.
   */
  get guide(): string | undefined {
    return this.#guide
  }

  /** An own document was in a frame of another origin. */
  get isEmbedded(): boolean {
    return this.#isEmbedded
  }

  /** Whether a document in this frame, or in one around it, is not ours, or may have been chosen by one that is not. */
  async isForeign(frameId: string): Promise<boolean> {
    if (this.#strayed.has(frameId)) return true
    const frames = await this.#frames.around(frameId)
    return (
      frames?.some(
        ({ id, origin }) => this.#strayed.has(id) || (origin !== undefined && !this.#home.includes(origin)),
      ) ?? this.#isEmbedded
    )
  }

  /** Call it before each sample of the page. */
  async stopStrangers(): Promise<void> {
    if (this.#strangers.first !== undefined) await this.#strangers.stop()
  }

  /** Throws if a frame of another origin has chosen the place in the page, and so what a picture would show. */
  requireOwnPlace(): void {
    if (!this.#isMoved) return
    throw new CaptureFailure(
      'unsteady',
      `A frame of ${this.#strangers.first} led ${hostOf(this.#given.href)} to another place in the page. Beside a password, a header or a cookie, ` +
        'no picture of that is taken.',
    )
  }

  /** Opens the page again: nobody else may do that while a document of another origin is in a frame. */
  async reopen(open: () => Promise<void>): Promise<void> {
    this.#isReopening = true
    await open().finally(() => {
      this.#isReopening = false
    })
  }

  async #judgePage(paused: Paused, isHome: boolean): Promise<Verdict> {
    const { request } = paused
    const id = idOf(paused)
    const isFirst = !this.#pages.has(id)
    if (isFirst && this.#hasPrefetched) {
      // The document that begins this may have been shown a moment ago, and `Page.frameNavigated` may come later.
      const { entries, currentIndex } = await this.#session.send('Page.getNavigationHistory')
      const shown = entries[currentIndex]?.url ?? ''
      if (shown.startsWith('http') && !this.#isHome(shown)) this.#lead(originOf(shown))
    }
    const isGiven = this.#isGiven(paused)
    if (isFirst && !(await this.isByPage(paused))) return 'refused'
    this.#isAtHome = isHome
    if (!isHome) this.#lead(originOf(request.url))
    const isTrusted = isGiven || (isHome && !this.#isLed)
    this.#pages.set(id, isTrusted)
    return isTrusted ? 'trusted' : 'untrusted'
  }

  /** Whether a document of the page itself begins this navigation of the page, and not one in a frame of another site. */
  isByPage(paused: Paused): Promise<boolean> {
    const id = idOf(paused)
    const byPage = this.#byPage.get(id) ?? this.#findBeginner(paused)
    this.#byPage.set(id, byPage)
    return byPage
  }

  async #findBeginner(paused: Paused): Promise<boolean> {
    const areKnown = await this.#knowsFrames()
    if (areKnown && this.#strangers.first === undefined) return true
    if (this.#isReopening && this.#isGiven(paused)) return true
    const { method } = paused.request
    const from = senderOf(paused)
    // Frames of the same site share the process of the page.
    if (this.#isAtHome && from !== 'null' && !this.#isHome(from)) return false
    if (!(await this.#navigations.isOwn(idOf(paused), method))) return false
    // So do own documents in frames of other sites. At the root, the address may also be all that a `Referer` tells.
    return (areKnown && !this.#isEmbedded && !this.#isShared) || this.#isAddress(from)
  }

  #isAddress(referer: string): boolean {
    const address = withoutHash(this.#page.url())
    return withoutHash(referer) === address && address !== `${originOf(address)}/`
  }

  /** The browser had prefetched a document, so nobody saw which way led there. Or a frame went back in the history. */
  #noteShown({ loaderId, url }: { readonly loaderId: string; readonly url: string }): void {
    if (this.isJudged({ loaderId }) || this.#isReopening) return
    if (url.startsWith('http')) this.#lead(originOf(url))
    else this.#noteMove()
  }

  /** Another process moved the page in its document, or the page itself went back. */
  #noteMove(): void {
    if (this.#strangers.first === undefined) return
    this.#isMoved = true
    this.#lead(this.#strangers.first)
  }

  /** Whether a document of another origin, or of none, was in this frame. */
  async #hasStrayed(frameId: string): Promise<boolean> {
    if (this.#strayed.has(frameId)) return true
    const [frame] = (await this.#frames.around(frameId)) ?? []
    if (frame ? frame.origin !== 'null' : !this.apart.has(frameId)) return false
    this.#strayed.add(frameId)
    this.#strangers.note(NO_ORIGIN)
    return true
  }

  #noteStranger({ frameId, request }: Paused): void {
    this.#strayed.add(frameId)
    this.#strangers.note(originOf(request.url))
  }

  #noteFrame(frame: Frame): void {
    if (!frame.parentFrame()) return
    const url = frame.url()
    const isHome = this.#isHome(url)
    if (url.startsWith('data:')) this.#isShared = true
    if (isHome || url.startsWith('about:')) {
      const look = this.#lookAt(frame).finally(() => this.#looks.delete(look))
      this.#looks.add(look)
    } else {
      this.#strangers.note(originOf(url), frame)
    }
    if (isHome) {
      for (let each: Frame | null = frame; each; each = each.parentFrame()) {
        if (this.#strangers.has(each)) this.#noteEmbedded()
      }
    }
  }

  /** The process of a page may not answer while the page is being navigated. */
  async #knowsFrames(): Promise<boolean> {
    const all = async () => await Promise.all(this.#looks)
    return (await before(performance.now() + LOOKED_MS, all)) !== undefined
  }

  /** Notes a frame whose document has no origin: it is sandboxed. Some are in the process of the page, others in their own. */
  async #lookAt(frame: Frame): Promise<void> {
    const here = (await this.#frames.all()) ?? []
    const isLike = ({ url }: { readonly url: string }) => withoutHash(url) === withoutHash(frame.url())
    const all = this.#page.frames().filter((each) => isLike({ url: each.url() }))
    if (here.filter(isLike).length < all.length) this.#strangers.noteApart(NO_ORIGIN, frame)
    if (here.length > 0 && here.every(({ origin }) => origin !== 'null')) return
    this.#isShared = true
    this.#strangers.note(NO_ORIGIN)
  }

  #noteEmbedded(): void {
    this.#isEmbedded = true
    this.#guide ??= this.#strangers.first
  }

  /** From now on, only the address that was given is trusted, if it is asked for again. */
  #lead(guide: string): void {
    this.#guide ??= guide
    this.#isLed = true
    for (const id of this.#pages.keys()) this.#pages.set(id, false)
  }

  /** Whether a document that may have secrets is in this frame and in all frames around it. */
  async #isAsked(paused: Paused): Promise<boolean> {
    const { frameId } = paused
    if (frameId === this.#main) {
      if (!this.#hasPrefetched && !this.#isLed) return true
      const [shown] = (await this.#frames.around(frameId)) ?? []
      if (!shown || !this.#isLed) return shown !== undefined && this.isJudged(shown)
      // A document that is being left can still ask for something.
      return this.isTrusted(shown) && this.#isHome(senderOf(paused))
    }
    const frames = await this.#frames.around(frameId)
    return (
      frames?.every(({ id, origin, loaderId }) =>
        id === this.#main
          ? !this.#isLed || this.isTrusted({ loaderId })
          : !this.#strayed.has(id) && (origin === undefined || this.#home.includes(origin)),
      ) ?? false
    )
  }

  #isHome(url: string): boolean {
    return this.#home.includes(originOf(url))
  }

  /** This address was given together with the secrets, whoever leads to it. */
  #isGiven({ request: { url, urlFragment = '', method } }: Paused): boolean {
    return (
      method === 'GET' &&
      withoutHash(url) === withoutHash(this.#given.href) &&
      (urlFragment === '' || urlFragment === this.#given.hash)
    )
  }
}
