import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Environment, FoundBrowser } from '../../../src/camera/browser/browser.ts'
import type { WhereToLook } from '../../../src/camera/browser/find-browser.ts'
import { findStarting } from '../../../src/camera/browser/install-browser.ts'

// The browser of the tests is the one that the service would find here, or the one that CHROMIUM_PATH names.

const VARIABLES = [
  'PATH',
  'HOME',
  'XDG_CACHE_HOME',
  'PLAYWRIGHT_BROWSERS_PATH',
  'CHROMIUM_PATH',
  'FONTCONFIG_FILE',
]

/** For processes and services: whatever finds the browser of the tests. */
export const BROWSER_ENV: Record<string, string> = Object.fromEntries(
  VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
)

export const WHERE_TO_LOOK: WhereToLook = {
  chromiumPath: process.env['CHROMIUM_PATH'] || undefined,
  dataDir: tmpdir(),
  env: BROWSER_ENV,
}

let testBrowser: Promise<FoundBrowser | undefined> | undefined

/** As a camera does it: the first that starts. */
export async function findTestBrowser(): Promise<FoundBrowser> {
  testBrowser ??= findStarting(WHERE_TO_LOOK)
  const found = await testBrowser
  if (!found) throw new Error('there is no browser that starts')
  return found
}

/** Whether one lies where it is found whatever PATH and HOME say: then there is no machine without a browser. */
export function hasBrowserAnywhere(): boolean {
  return ['/opt/google/chrome/chrome', '/Applications/Google Chrome.app', '/Applications/Chromium.app'].some(
    (path) => existsSync(path),
  )
}

/** What Playwright is to start. */
export async function prepareTestBrowser(): Promise<{ executablePath: string; env: Environment }> {
  const found = await findTestBrowser()
  return { executablePath: found.path, env: await found.prepare() }
}
