import { chromium } from 'playwright-core'
import type { FoundBrowser } from '../../src/camera/browser/browser.ts'
import { findBrowser } from '../../src/camera/browser/find-browser.ts'
import { createCamera } from '../../src/camera/chromium.ts'
import { readConfig } from '../../src/config/config.ts'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createGuard } from '../../src/egress/guard.ts'

// Two cameras for the same pages and with the same browser: ours, and Playwright's own.

export const LIMITS = { height: 16_384, pixels: 67_108_864, bytes: 33_554_432, pageBytes: 100_000_000 }
/** Nothing is taken before it has settled because there was no time. */
const LOADING_MS = 30_000
/** Those of ours that could show in a picture. */
const ARGUMENTS = ['--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars', '--mute-audio']
const NO_BYPASS = '<-loopback>'

export interface Wanted {
  readonly url: string
  readonly width: number
  readonly height: number
  readonly fullPage: boolean
}

export interface BenchCamera {
  /** PNG. */
  take(wanted: Wanted): Promise<Buffer>
  close(): Promise<void>
}

/** The browser that CHROMIUM_PATH names, or the one that the service would take. */
export async function findBenchBrowser(): Promise<FoundBrowser> {
  const { capture, dataDir } = readConfig({ ...process.env, DATA_DIR: '/nonexistent' })
  return await findBrowser({ ...capture, dataDir })
}

/** Only the server of the pages can be reached: every name is unknown. */
function guardOf(port: number) {
  return createGuard({
    allow: parseAllowList(`127.0.0.1:${port}`),
    lookup: async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    },
  })
}

export function openOurs(found: FoundBrowser, port: number, concurrency: number): BenchCamera {
  const camera = createCamera({
    find: async function* () {
      yield found
    },
    guard: guardOf(port),
    concurrency,
    limits: LIMITS,
    log: { info: () => {}, warn: () => {} },
  })
  return {
    async take({ url, width, height, fullPage }) {
      const page = { url, options: { width, height, fullPage }, loadingTime: LOADING_MS }
      return (await camera.shoot(page, new AbortController().signal)).bytes
    },
    close: () => camera.close(),
  }
}

/** A browser as ours is started, with the same way out, and nothing else of ours. */
export async function launchPlain(found: FoundBrowser, port: number) {
  const gate = await guardOf(port).openGate({ maxBytes: Number.MAX_SAFE_INTEGER, onTooLarge: () => {} })
  const browser = await chromium.launch({
    executablePath: found.path,
    chromiumSandbox: false,
    args: ARGUMENTS,
    env: await found.prepare(),
    proxy: { server: gate.proxyUrl, bypass: NO_BYPASS },
  })
  return {
    browser,
    async close() {
      await browser.close()
      await gate.close()
    },
  }
}

/** Pictures as Playwright's manual describes it. */
export async function openPlain(found: FoundBrowser, port: number): Promise<BenchCamera> {
  const { browser, close } = await launchPlain(found, port)
  return {
    async take({ url, width, height, fullPage }) {
      const context = await browser.newContext({ viewport: { width, height }, serviceWorkers: 'block' })
      try {
        const page = await context.newPage()
        // A page that never rests is taken as it is then.
        await page.goto(url, { waitUntil: 'networkidle', timeout: LOADING_MS }).catch(ignoreTimeout)
        return await page.screenshot({ fullPage, animations: 'disabled' })
      } finally {
        await context.close()
      }
    },
    close,
  }
}

export function ignoreTimeout(error: Error): void {
  if (error.name !== 'TimeoutError') throw error
}
