import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { prepareTestBrowser } from '../browser/test-browser.ts'
import { PATIENCE_MS } from '../runner/patience.ts'

/** Someone who looks at the gallery. */
export interface Visitor {
  readonly page: Page
  /** Complaints of the browser: errors of scripts and of the policy, URLs that failed. */
  readonly complaints: string[]
}

export interface VisitorOptions {
  readonly width?: number
  readonly height?: number
  readonly touch?: boolean
}

/** A browser for the tests of one file; each visitor has a context of their own. */
export function useVisitors(): (url: string, options?: VisitorOptions) => Promise<Visitor> {
  let browser: Browser | undefined
  let folder = ''
  beforeAll(async () => {
    const { executablePath, env } = await prepareTestBrowser()
    folder = await mkdtemp(join(tmpdir(), 'proofsheet-visitor-'))
    browser = await chromium.launch({
      executablePath,
      chromiumSandbox: process.getuid?.() !== 0,
      // Only this machine can be reached: all pages are ours.
      args: [
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
        '--disable-gpu',
      ],
      env: { ...env, TMPDIR: folder },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return async (url, { width = 1280, height = 800, touch = false } = {}) => {
    if (!browser) throw new Error('there is no browser yet')
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: 'light',
      locale: 'en-GB',
      timezoneId: 'UTC',
      hasTouch: touch,
      acceptDownloads: true,
    })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(url)
    return { page, complaints }
  }
}
