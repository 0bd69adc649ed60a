import type { Browser, BrowserContext } from 'playwright-core'
import { scaleOf } from '../contract/picture-sizes.ts'
import type { Gate } from '../egress/guard.ts'
import type { PageToShoot } from './camera.ts'
import { NO_BYPASS } from './launch.ts'
import { visitorOf } from './visitor.ts'

/** Opens a new context for one page. The caller closes it and limits the time. */
export async function openContext(
  browser: Browser,
  gate: Gate,
  { options }: PageToShoot,
): Promise<BrowserContext> {
  const { width, height, colorScheme, timezone } = options
  const { mobile, touch, screen, userAgent, locale } = visitorOf(options)
  return await browser.newContext({
    viewport: { width, height },
    screen,
    deviceScaleFactor: scaleOf(options),
    isMobile: mobile,
    hasTouch: touch,
    ...(userAgent !== undefined && { userAgent }),
    ...(colorScheme && { colorScheme }),
    ...(options.reducedMotion && { reducedMotion: 'reduce' }),
    locale,
    ...(timezone !== undefined && { timezoneId: spellTimezone(timezone) }),
    proxy: { server: gate.proxyUrl, bypass: NO_BYPASS },
    acceptDownloads: false,
    serviceWorkers: 'block',
  })
}

/** The contract takes a name in upper or lower case, the browser only as it is written in the database of time zones. */
function spellTimezone(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
}
