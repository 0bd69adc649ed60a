import type { CDPSession, Page } from 'playwright-core'
import { findSecrets } from '../../secrets/find-secrets.ts'
import { CaptureFailure } from '../camera.ts'
import { Frames, outermostOf } from '../frames.ts'
import { sayWhere } from './login-origins.ts'

/** No form needs a longer address. One that is longer is refused without a look into it. */
const LONGEST = 20_000
const ORIGIN = /^https?:\/\/[^/?#]*/i

export interface LoginRequests {
  /** Throws if the page tried to take the login elsewhere. */
  requireAllowed(): void
}

/**
 * From now on, documents are asked of other origins only with an address that does not have the login in it: not with a form that is
 * posted there, not by a redirect that posts it again, and not from a frame. What a document of another origin asks for by itself is
 * let through: it does not know the login, and would learn from a refusal that it guessed right. This session is another one than that of
 * the window: `stayHere` pauses requests, too.
 */
export async function watchRequests(
  page: Page,
  { origins, username, password }: { origins: readonly string[]; username: string; password: string },
): Promise<LoginRequests> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const main = await outermostOf(session)
  const frames = new Frames(session)
  const isHome = (url: string) => origins.includes(originOf(url))
  let refused: string | undefined
  /** The last document that the page itself went for was at home. */
  let isMainHome = true
  /** Navigations that documents of other origins began, with all their redirects. */
  const foreign = new Set<string>()
  const isForeign = async (frameId: string, headers: Readonly<Record<string, string>>) => {
    if (isHome(headers['Origin'] ?? headers['Referer'] ?? '')) return false
    if (frameId === main) return !isMainHome
    return (
      (await frames.around(frameId))?.some(
        ({ origin }) => origin !== undefined && !origins.includes(origin),
      ) ?? false
    )
  }
  const has = async (text: string, secret: string) => (await findSecrets(text, [secret])).length > 0
  /** A host may have the name of a user in it by chance. */
  const tells = async (url: string, toWhom: 'nobody' | 'frame') =>
    url.length > LONGEST ||
    (await has(url, password)) ||
    (toWhom === 'nobody' && (await has(url.replace(ORIGIN, ''), username)))
  session.on(
    'Fetch.requestPaused',
    async ({ requestId, networkId = requestId, request, frameId, ...paused }) => {
      const isFrame = frameId !== main
      const isFirst = paused.redirectedRequestId === undefined
      // Pages behind a login often tell a frame of another origin who is there. A redirect may come from a form.
      const toWhom = isFrame && isFirst ? 'frame' : 'nobody'
      const { url, method, headers } = request
      if (isFirst && (await isForeign(frameId, headers))) foreign.add(networkId)
      const mayGo =
        isHome(url) ||
        foreign.has(networkId) ||
        (/^(GET|HEAD)$/.test(method) &&
          !(await tells(url, toWhom)) &&
          !(await tells(headers['Referer'] ?? '', toWhom)))
      if (!mayGo && !isFrame) refused ??= originOf(url)
      if (mayGo && !isFrame) isMainHome = isHome(url)
      const answer = mayGo
        ? session.send('Fetch.continueRequest', { requestId })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      // The page is gone.
      answer.catch(() => {})
    },
  )
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
  return {
    requireAllowed() {
      if (refused === undefined) return
      throw new CaptureFailure('login', sayWhere(`would have been sent on to ${refused}`, refused, origins))
    },
  }
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? ''
}
