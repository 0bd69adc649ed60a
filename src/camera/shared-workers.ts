import type { Page } from 'playwright-core'

/** Addresses of the shared workers that run in the browser of a page. Only the browser itself knows them. */
export async function findSharedWorkers(page: Page): Promise<ReadonlySet<string>> {
  const session = await page.context().browser()?.newBrowserCDPSession()
  try {
    const found = await session?.send('Target.getTargets', { filter: [{ type: 'shared_worker' }] })
    return new Set(found?.targetInfos.map(({ url }) => url))
  } finally {
    await session?.detach().catch(() => {})
  }
}
