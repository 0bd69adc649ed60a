import type { CDPSession, Frame, Page } from 'playwright-core'
import { findSecrets } from '../../secrets/find-secrets.ts'
import { CaptureFailure } from '../camera.ts'
import { outermostOf } from '../frames.ts'
import { originOf, type Paused } from '../paused.ts'
import type { Trust } from '../trust.ts'
import { sayWhere } from './login-origins.ts'

/** No form needs a longer address. One that is longer is refused without a look into it. */
const LONGEST = 20_000
const ORIGIN = /^https?:\/\/[^/?#]*/i

export type LoginRequests = Awaited<ReturnType<typeof watchRequests>>

interface Watched {
  readonly origins: readonly string[]
  readonly trust: Trust | undefined
  readonly username: string
  readonly password: string
}

/**
 * Documents are asked of other origins only with an address that does not have the login in it: not with a form that is
 * posted there, and not by a redirect that posts it again. What a document of another origin asks for by itself is let through, and
 * so is what a page embeds in a frame: whoever chose the address would learn from a refusal that it has the right guess in it. The
 * sessions are others than that of the window: `stayHere` pauses requests, too.
 */
export async function watchRequests(page: Page, { origins, trust, username, password }: Watched) {
  const main: CDPSession = await page.context().newCDPSession(page)
  const mainId = await outermostOf(main)
  const isHome = (url: string) => origins.includes(originOf(url))
  let refused: string | undefined
  let hasBegun = false
  /** The last document that the page itself went for was at home. */
  let isMainHome = true
  /** Navigations that other origins began, or lead on, with all their redirects. */
  const foreign = new Set<string>()
  const known = new Set<string>()
  /** Navigations that began with a form that was posted, with all their redirects. */
  const posted = new Set<string>()
  const isForeign = async (session: CDPSession, paused: Paused) => {
    const { frameId, request } = paused
    const { method, headers } = request
    const from = headers['Origin'] ?? headers['Referer'] ?? ''
    if (frameId !== mainId) {
      // An own form may lead into the frame of another site.
      if (method !== 'GET' && isHome(from) && !trust?.isEmbedded) return false
      return session !== main || ((await trust?.isForeign(frameId)) ?? false)
    }
    return (!isMainHome && !isHome(from)) || (trust !== undefined && !(await trust.isByPage(paused)))
  }
  const has = async (text: string, secret: string) => (await findSecrets(text, [secret])).length > 0
  /** A host may have the name of a user in it by chance. */
  const tells = async (url: string) =>
    url.length > LONGEST || (await has(url, password)) || (await has(url.replace(ORIGIN, ''), username))
  const mayGo = async (session: CDPSession, paused: Paused): Promise<boolean> => {
    const { frameId, networkId = paused.requestId, request } = paused
    const isFirst = !known.has(networkId)
    known.add(networkId)
    if (isFirst && (await isForeign(session, paused))) foreign.add(networkId)
    const isRead = /^(GET|HEAD)$/.test(request.method)
    if (isFirst && !isRead) posted.add(networkId)
    if (!hasBegun || isHome(request.url) || foreign.has(networkId)) return true
    // Texts of a visitor may embed frames, but post nothing.
    if (frameId !== mainId && !posted.has(networkId)) return true
    const { url, urlFragment = '', headers } = request
    return isRead && !(await tells(url + urlFragment)) && !(await tells(headers['Referer'] ?? ''))
  }
  const answer = async (session: CDPSession, paused: Paused) => {
    const { requestId, networkId = requestId, frameId, request } = paused
    const goes = await mayGo(session, paused)
    // Where the answer of another origin leads is its own choice.
    if (goes && !isHome(request.url)) foreign.add(networkId)
    if (frameId === mainId) {
      if (goes) isMainHome = isHome(request.url)
      else refused ??= originOf(request.url)
    }
    if (goes) await session.send('Fetch.continueRequest', { requestId })
    else await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
  }
  const watch = async (session: CDPSession) => {
    session.on('Fetch.requestPaused', (paused) => void answer(session, paused).catch(() => {}))
    await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
  }
  await watch(main)
  /** Frames of other sites have processes, and so sessions, of their own. For others there is none. */
  const watchFrame = async (frame: Frame) => {
    if (frame === page.mainFrame()) return
    await page
      .context()
      .newCDPSession(frame)
      .then(watch)
      .catch(() => {})
  }
  page.on('framenavigated', (frame) => void watchFrame(frame))
  await Promise.all(page.frames().map(watchFrame))
  return {
    /** From now on, requests are compared with the login. Before, nobody can have it: to compare would only tell who guessed right. */
    begin(): void {
      hasBegun = true
    },
    /** Throws if the page tried to take the login elsewhere. */
    requireAllowed(): void {
      if (refused === undefined) return
      throw new CaptureFailure('login', sayWhere(`would have been sent on to ${refused}`, refused, origins))
    },
  }
}
