import type { CDPSession, Page } from 'playwright-core'
import { homeOf } from '../contract/options/steps.ts'
import type { PageToShoot } from './camera.ts'
import { Frames, outermostOf } from './frames.ts'

// Headers and cookies of a request go to the origin of its page (scheme, host and port), and to no other; and only with what documents of
// that origin ask for. A frame of another site, or a site on the way, does not choose what is asked with them. Decision 26.

type Cookies = NonNullable<PageToShoot['options']['cookies']>

interface Paused {
  readonly requestId: string
  readonly resourceType: string
  readonly frameId: string
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
}

/** Call it before the page loads. A page without headers and cookies is left alone. */
export async function sendToOwnOrigin(page: Page, { url, options }: PageToShoot): Promise<void> {
  const { headers = {}, cookies = [], loginParameter } = options
  if (!options.headers && !options.cookies) return
  const own = new URL(url)
  const session = await page.context().newCDPSession(page)
  const trust = new Trust(session, {
    url,
    home: homeOf(url, loginParameter),
    main: await outermostOf(session),
  })
  const jar = new Jar(session, own, cookies)
  await jar.fill()
  const added = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const names = new Set(added.map(({ name }) => name.toLowerCase()))
  const answer = async (paused: Paused) => {
    const { requestId, request } = paused
    trust.note(paused)
    const isOwn = originOf(request.url) === own.origin
    const isTrusted = isOwn && (await trust.has(paused))
    if (isOwn && trust.isPage(paused)) await (isTrusted ? jar.fill() : jar.empty())
    else if (isOwn && !isTrusted && jar.isIn(request.headers)) {
      return await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    }
    const kept = Object.entries(request.headers)
      .filter(([name]) => !names.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value }))
    const more = isTrusted && added.length > 0 ? { headers: [...kept, ...added] } : {}
    return await session.send('Fetch.continueRequest', { requestId, ...more })
  }
  // Each redirect is paused for itself: what is added here is not carried along to where it leads. This session is another one than
  // that of the window: `stayHere` pauses requests, too. The page may be gone.
  session.on('Fetch.requestPaused', (paused) => void answer(paused).catch(() => {}))
  // The second one is for addresses with a user name. All documents are paused, to see who had a say on the way.
  const patterns = [`${own.origin}/*`, `${own.protocol}//*@${own.host}/*`].map((urlPattern) => ({
    urlPattern,
  }))
  await session.send('Fetch.enable', {
    patterns: [...patterns, { urlPattern: '*', resourceType: 'Document' }],
  })
}

/** Whose requests may have headers and cookies. */
class Trust {
  readonly #frames: Frames
  readonly #given: string
  readonly #home: readonly string[]
  readonly #main: string
  /** Frames that another site was asked for a document in. It may have chosen what came then. */
  readonly #strayed = new Set<string>()

  constructor(
    session: CDPSession,
    { url, home, main }: { url: string; home: readonly string[]; main: string },
  ) {
    this.#frames = new Frames(session)
    this.#given = addressOf(url)
    this.#home = home
    this.#main = main
  }

  isPage({ resourceType, frameId }: Paused): boolean {
    return resourceType === 'Document' && frameId === this.#main
  }

  note({ resourceType, frameId, request }: Paused): void {
    if (resourceType === 'Document' && !this.#isHome(originOf(request.url))) this.#strayed.add(frameId)
  }

  async has(paused: Paused): Promise<boolean> {
    const { frameId, request } = paused
    const hasStrayed = this.#strayed.has(this.#main)
    if (this.isPage(paused)) return !hasStrayed || this.#isGiven(request.url)
    if (frameId === this.#main && !hasStrayed) return true
    const frames = await this.#frames.around(frameId)
    return (
      frames?.every(({ id, url, origin }) =>
        id === this.#main && hasStrayed
          ? this.#isGiven(url)
          : !this.#strayed.has(id) && (origin === undefined || this.#isHome(origin)),
      ) ?? false
    )
  }

  #isHome(origin: string): boolean {
    return this.#home.includes(origin)
  }

  /** This address was given together with the headers and cookies, whoever led to it. */
  #isGiven(url: string): boolean {
    return addressOf(url) === this.#given
  }
}

/** The cookies of a request. They belong to this host only, and to this port: see `COOKIES_STAY` in `launch.ts`. */
class Jar {
  readonly #session: CDPSession
  readonly #cookies: Cookies
  readonly #place: {
    url: string
    path: string
    secure: boolean
    sourceScheme: 'Secure' | 'NonSecure'
    sourcePort: number
  }
  #isFull = false

  constructor(session: CDPSession, { protocol, origin, port }: URL, cookies: Cookies) {
    const secure = protocol === 'https:'
    this.#session = session
    this.#cookies = cookies
    this.#place = {
      ...{ url: `${origin}/`, path: '/', secure },
      sourceScheme: secure ? 'Secure' : 'NonSecure',
      sourcePort: Number(port) || (secure ? 443 : 80),
    }
  }

  async fill(): Promise<void> {
    if (this.#isFull) return
    this.#isFull = true
    for (const { name, value } of this.#cookies) {
      // A browser does not take every cookie: one that begins with __Host- needs https. Its error would tell the value.
      await this.#session.send('Network.setCookie', { name, value, ...this.#place }).catch(() => {})
    }
  }

  async empty(): Promise<void> {
    if (!this.#isFull) return
    this.#isFull = false
    const { url } = this.#place
    for (const { name } of this.#cookies) await this.#session.send('Network.deleteCookies', { name, url })
  }

  /** Whether a request would be sent with one of them. */
  isIn(headers: Readonly<Record<string, string>>): boolean {
    const sent = new Set((headers['Cookie'] ?? '').split('; '))
    return this.#cookies.some(({ name, value }) => sent.has(`${name}=${value}`))
  }
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? ''
}

/** Without what is not sent, and without a user name. */
function addressOf(address: string): string {
  const url = URL.parse(address)
  if (!url) return address
  url.hash = url.username = url.password = ''
  return url.href
}
