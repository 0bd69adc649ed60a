import type { CDPSession, Page } from 'playwright-core'
import { findSecrets } from '../../secrets/find-secrets.ts'
import { CaptureFailure } from '../camera.ts'
import { sayWhere } from './login-origins.ts'

/** No form needs a longer address. One that is longer is refused without a look into it. */
const LONGEST = 20_000
const ORIGIN = /^https?:\/\/[^/?#]*/i

interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

export interface LoginRequests {
  /** The login is over. Frames may ask for addresses with the name of the user: many pages tell it to a frame of another origin. */
  leaveFrames(): void
  /** Throws if the page tried to take the login elsewhere. */
  requireAllowed(): void
}

/**
 * From now on, documents are asked of other origins only with an address that does not have the login in it: not with a form that is
 * posted there, not by a redirect that posts it again, and not from a frame. This session is another one than that of the window:
 * `stayHere` pauses requests, too.
 */
export async function watchRequests(
  page: Page,
  { origins, username, password }: { origins: readonly string[]; username: string; password: string },
): Promise<LoginRequests> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  let refused: string | undefined
  let areFramesLeft = false
  const has = async (text: string, secret: string) => (await findSecrets(text, [secret])).length > 0
  /** A name may be a part of a host by chance. */
  const carries = async (url: string) =>
    url.length > LONGEST || (await has(url, password)) || (await has(url.replace(ORIGIN, ''), username))
  const isAllowed = async (request: Asked, isFrame: boolean) => {
    if (origins.includes(originOf(request.url))) return true
    if (!/^(GET|HEAD)$/.test(request.method)) return false
    if (isFrame && areFramesLeft) return true
    return !(await carries(request.url)) && !(await carries(request.headers['Referer'] ?? ''))
  }
  session.on('Fetch.requestPaused', async ({ requestId, request, frameId }) => {
    const isFrame = frameId !== frameTree.frame.id
    const mayGo = await isAllowed(request, isFrame)
    if (!mayGo && !isFrame) refused ??= originOf(request.url)
    const answer = mayGo
      ? session.send('Fetch.continueRequest', { requestId })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    // The page is gone.
    answer.catch(() => {})
  })
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
  return {
    leaveFrames() {
      areFramesLeft = true
    },
    requireAllowed() {
      if (refused === undefined) return
      throw new CaptureFailure('login', sayWhere(`was sent on to ${refused}`, refused, origins))
    },
  }
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? ''
}
