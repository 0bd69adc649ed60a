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

/** For processes and services: the environment in which they find the browser of the tests. */
export const BROWSER_ENV: Record<string, string> = Object.fromEntries(
  VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
)

export const WHERE_TO_LOOK: WhereToLook = {
  chromiumPath: process.env['CHROMIUM_PATH'] || undefined,
  dataDir: tmpdir(),
  env: BROWSER_ENV,
}

let testBrowser: Promise<FoundBrowser | undefined> | undefined

/** The first one that starts, as in the camera. */
export async function findTestBrowser(): Promise<FoundBrowser> {
  testBrowser ??= findStarting(WHERE_TO_LOOK)
  const found = await testBrowser
  if (!found) throw new Error('there is no browser that starts')
  return found
}

/** Whether a browser is found independently of PATH and HOME: then no test can hide it. */
export function hasBrowserAnywhere(): boolean {
  return ['/opt/google/chrome/chrome', '/Applications/Google Chrome.app', '/Applications/Chromium.app'].some(
    (path) => existsSync(path),
  )
}

/** The executable for Playwright. */
export async function prepareTestBrowser(): Promise<{ executablePath: string; env: Environment }> {
  const found = await findTestBrowser()
  return { executablePath: found.path, env: await found.prepare() }
}
