import type { Page } from 'playwright-core'
import type { PageToShoot } from './camera.ts'

// Headers and cookies of a request go to the origin of its page (scheme, host and port), and to no other. Decision 26.

/** Call it before the page loads. A page without headers and cookies is left alone. */
export async function sendToOwnOrigin(page: Page, { url, options }: PageToShoot): Promise<void> {
  const own = new URL(url)
  if (options.cookies) await setCookies(page, own, options.cookies)
  if (options.headers) await addHeaders(page, own, options.headers)
}

/** They belong to this host only, and to this port: see `COOKIES_STAY` in `launch.ts`. */
async function setCookies(
  page: Page,
  { protocol, origin, port }: URL,
  cookies: NonNullable<PageToShoot['options']['cookies']>,
): Promise<void> {
  const secure = protocol === 'https:'
  const place = {
    ...{ url: `${origin}/`, path: '/', secure },
    sourceScheme: secure ? ('Secure' as const) : ('NonSecure' as const),
    sourcePort: Number(port) || (secure ? 443 : 80),
  }
  const session = await page.context().newCDPSession(page)
  for (const { name, value } of cookies) {
    // A browser does not take every cookie: one that begins with __Host- needs https. Its error would tell the value.
    await session.send('Network.setCookie', { name, value, ...place }).catch(() => {})
  }
  await session.detach()
}

/**
 * The browser pauses each request to this origin, and each redirect to it, for itself. So what is added here is not carried
 * along to where a redirect leads. This session is another one than that of the window: `stayHere` pauses requests, too.
 */
async function addHeaders(
  page: Page,
  own: URL,
  headers: NonNullable<PageToShoot['options']['headers']>,
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const added = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const names = new Set(added.map(({ name }) => name.toLowerCase()))
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const isOwn = URL.parse(request.url)?.origin === own.origin
    const kept = Object.entries(request.headers)
      .filter(([name]) => !names.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value }))
    session
      .send('Fetch.continueRequest', { requestId, ...(isOwn && { headers: [...kept, ...added] }) })
      // The page is gone.
      .catch(() => {})
  })
  // The second one is for addresses with a user name.
  const patterns = [`${own.origin}/*`, `${own.protocol}//*@${own.host}/*`]
  await session.send('Fetch.enable', { patterns: patterns.map((urlPattern) => ({ urlPattern })) })
}
