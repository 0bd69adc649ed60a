import { createRequire } from 'node:module'

type Playwright = typeof import('playwright-core')

/**
 * Loaded with the browser, and not earlier. Required, not imported: before an import Node reads all of it once more, 7 MB, to
 * learn which names it exports.
 */
export function loadPlaywright(): Playwright {
  return createRequire(import.meta.url)('playwright-core') as Playwright
}
