import type { CDPSession, Page } from 'playwright-core'
import { hasSecrets } from '../contract/options/secrets.ts'
import { homeOf } from '../contract/options/steps.ts'
import type { PageToShoot } from './camera.ts'
import { type Answer, pauseApart } from './frames-apart.ts'
import { originOf, type Paused } from './paused.ts'
import { Trust } from './trust.ts'

// Headers and cookies of a request go to the origin of its page (scheme, host and port), and to no other; and only with what documents of
// that origin ask for. A frame of another site, or a site on the way, does not choose what is asked with them. Decision 26.

type Cookies = NonNullable<PageToShoot['options']['cookies']>

/** What another site asks for is not answered from what the browser has kept: that may be an answer to our headers. */
const FROM_THE_SERVER = { name: 'Cache-Control', value: 'no-cache' }

/** Of cookies that were not given, in characters. Servers take 8,000 and more for all headers together. */
const MOST_OTHERS = 4_000

/** Call it before the page loads. A page without secrets is left alone. */
export async function sendToOwnOrigin(page: Page, { url, options }: PageToShoot): Promise<Trust | undefined> {
  if (!hasSecrets(options)) return undefined
  const { headers = {}, cookies = [], loginParameter } = options
  const own = new URL(url)
  const session = await page.context().newCDPSession(page)
  const trust = await Trust.of(page, session, url, homeOf(url, loginParameter))
  const isLoginOnly = Object.keys(headers).length + cookies.length === 0
  const jar = createJar(session, own, cookies)
  await jar.fill()
  const added = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const names = new Set(added.map(({ name }) => name.toLowerCase()))
  const answer = async (paused: Paused): Promise<Answer> => {
    const { requestId, request } = paused
    const wasFull = jar.isFull()
    const verdict = await trust.judge(paused)
    if (verdict === 'refused') return ['Fetch.failRequest', { requestId, errorReason: 'Aborted' }]
    const isTrusted = verdict === 'trusted'
    // Not all requests of an own document in a frame of another site are paused.
    if (trust.isEmbedded) await jar.empty()
    // A page of another origin on the way stays until this one has arrived. Another port could use the cookies meanwhile.
    else if (trust.isPage(paused)) await (isTrusted && !trust.guide ? jar.fill() : jar.empty())
    if (originOf(request.url) !== own.origin) return ['Fetch.continueRequest', { requestId }]
    if (!trust.isPage(paused) && !isTrusted && jar.isIn(request.headers)) {
      return ['Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }]
    }
    // The cookies are those of before: some may have been deleted.
    const replaced = isTrusted ? names : new Set(['cookie'])
    const { Cookie: sent = '' } = request.headers
    const Cookie = isLoginOnly ? sent : jar.shorten(isTrusted && !wasFull ? jar.addTo(sent) : sent)
    const kept = Object.entries({ ...request.headers, ...(Cookie && { Cookie }) })
      .filter(([name]) => !replaced.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value }))
    const more = isTrusted ? added : [FROM_THE_SERVER]
    // The browser may have no cookies anymore when it sends this.
    const isChanged = more.length > 0 || Cookie !== sent || (isTrusted && cookies.length > 0)
    return ['Fetch.continueRequest', { requestId, ...(isChanged && { headers: [...kept, ...more] }) }]
  }
  // Each redirect is paused for itself: what is added here is not carried along to where it leads. This session is another one than
  // that of the window: `stayHere` pauses requests, too. The page may be gone.
  session.on('Fetch.requestPaused', (paused) => {
    void answer(paused)
      .then(([method, parameters]) => session.send(method, parameters as never))
      .catch(() => {})
  })
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return
    const isTrusted = trust.isTrusted(frame)
    void (isTrusted && !trust.isEmbedded ? jar.fill() : jar.empty()).catch(() => {})
  })
  const patterns = [{ urlPattern: '*' }]
  await pauseApart(session, patterns, answer, (frameId) => trust.apart.add(frameId))
  await session.send('Fetch.enable', { patterns })
  return trust
}

/** The cookies of a request. They belong to this host only, and to this port: see `COOKIES_STAY` in `launch.ts`. */
function createJar(session: CDPSession, { protocol, origin, hostname, port }: URL, cookies: Cookies) {
  const secure = protocol === 'https:'
  const url = `${origin}/`
  let isFull = false
  let filling: readonly { readonly name: string; readonly value: string }[] = cookies
  const isGiven = (cookie: string) => cookies.some(({ name }) => name === cookie.split('=')[0])
  const isOurs = (domain: string) => `.${hostname}`.endsWith(domain.replace(/^\.?/, '.'))
  const find = async () => (await session.send('Network.getCookies', { urls: [url] })).cookies
  /** Whoever asks for the same again waits until it is done. */
  let last = Promise.resolve()
  const oneByOne = (work: () => Promise<void>) => {
    last = last.then(work, work)
    return last
  }
  return {
    fill: () =>
      oneByOne(async () => {
        if (isFull) return
        const there = await find()
        for (const { name, value } of filling) {
          // The answer to a request that was sent with it may have replaced it.
          if (there.some((each) => each.name === name && each.domain === hostname)) continue
          const cookie = {
            ...{ name, value, url, path: '/', secure },
            sourceScheme: secure ? 'Secure' : 'NonSecure',
            sourcePort: Number(port) || (secure ? 443 : 80),
          } as const
          // A browser does not take every cookie: one that begins with __Host- needs https. Its error would tell the value.
          await session.send('Network.setCookie', cookie).catch(() => {})
        }
        isFull = true
      }),
    empty: () =>
      oneByOne(async () => {
        if (cookies.length === 0) return
        // The server may have changed or deleted them, or set them again since they were taken out.
        const there = await find()
        const old = filling
        filling = cookies.flatMap(({ name }) => {
          const found = there.filter((each) => each.name === name)
          return found.length > 0 || isFull ? found : old.filter((each) => each.name === name)
        })
        isFull = false
        // Those that the server has set for all subdomains are sent as soon as the others are gone.
        const { cookies: all } = await session.send('Network.getAllCookies')
        for (const { name, domain, path, partitionKey } of all) {
          if (isOurs(domain) && cookies.some((each) => each.name === name)) {
            const which = { name, domain, path, ...(partitionKey && { partitionKey }) }
            await session.send('Network.deleteCookies', which)
          }
        }
      }),
    isFull: () => isFull,
    /** The cookies of a request that was sent while the browser did not have those that were given. */
    addTo(text: string): string {
      const there = text === '' ? [] : text.split('; ').filter((cookie) => !isGiven(cookie))
      return [...there, ...filling.map(({ name, value }) => `${name}=${value}`)].join('; ')
    },
    /**
     * Without the cookies that are too many. A frame on another port of the same host can add cookies until the server refuses a request,
     * and that would tell how long a given header or cookie is.
     */
    shorten(text: string): string {
      let length = 0
      const isKept = (cookie: string) => {
        if (isGiven(cookie)) return true
        length += cookie.length
        return length <= MOST_OTHERS
      }
      return text.split('; ').filter(isKept).join('; ')
    },
    /** Whether a request would be sent with one of them, or with what the server has made of it. */
    isIn(headers: Readonly<Record<string, string>>): boolean {
      return (headers['Cookie'] ?? '').split('; ').some(isGiven)
    },
  }
}
