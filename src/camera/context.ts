import type { Browser, BrowserContext } from 'playwright-core'
import type { Gate } from '../egress/guard.ts'
import type { PageToShoot } from './camera.ts'
import { NO_BYPASS } from './launch.ts'

/** Opens a new context for one page. The caller closes it and limits the time. */
export async function openContext(
  browser: Browser,
  gate: Gate,
  { options: { width, height } }: PageToShoot,
): Promise<BrowserContext> {
  return await browser.newContext({
    viewport: { width, height },
    proxy: { server: gate.proxyUrl, bypass: NO_BYPASS },
    acceptDownloads: false,
    serviceWorkers: 'block',
  })
}
