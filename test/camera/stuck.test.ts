// @module-tag browser

import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { openContext } from '../../src/camera/chromium.ts'
import { launchBrowser } from '../../src/camera/launch.ts'
import { shootPage } from '../../src/camera/shoot.ts'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createGuard } from '../../src/egress/guard.ts'
import { findTestBrowser } from '../support/browser/test-browser.ts'
import { paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { noDeadline } from '../support/camera/no-deadline.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'

const GREEN = '#00aa00'
const LIMITS = { height: 16_384, pixels: 67_108_864, bytes: 33_554_432 }

/** Like Chromium from time to time: it takes no more pictures of this page. */
function takeNoPictureOf(page: Page): void {
  const context = page.context()
  const newCDPSession = async (): Promise<CDPSession> => {
    const session = await context.newCDPSession(page)
    const send = session.send.bind(session)
    session.send = ((method: 'Page.enable', ...rest: []) =>
      String(method) === 'Page.captureScreenshot'
        ? new Promise(() => {})
        : send(method, ...rest)) as typeof send
    return session
  }
  page.context = () =>
    new Proxy(context, {
      get: (target, name) => (name === 'newCDPSession' ? newCDPSession : Reflect.get(target, name)),
    })
}

test('a self-reloading page of which the browser takes no picture is opened again and captured', async () => {
  const site = await serveSite({
    '/': paint(GREEN, '<script>onload = () => setTimeout(() => location.reload(), 30)</script>'),
  })
  onTestFinished(site.close)
  const { browser, close } = await launchBrowser(await findTestBrowser())
  onTestFinished(close)
  const guard = createGuard({ allow: parseAllowList(`127.0.0.1:${site.port}`) })
  const gate = await guard.openGate({ maxBytes: 10_000_000, onTooLarge: () => {} })
  onTestFinished(() => gate.close())
  const wanted = {
    url: `http://127.0.0.1:${site.port}/`,
    options: { width: 600, height: 400, fullPage: false },
    loadingTime: 500,
  }
  const context = await openContext(browser, gate, wanted)
  const opened: Page[] = []
  context.on('page', (page) => {
    if (opened.push(page) === 1) takeNoPictureOf(page)
  })
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const rules = { limits: LIMITS, answerMs: 4_000, deadline: noDeadline(), signal }
  const { bytes, seen } = await shootPage(context, gate, wanted, rules)
  expect((await readPixels(bytes)).at(300, 200)).toBe(GREEN)
  expect(seen.marks).toEqual(['restless'])
  expect(opened.map((page) => page.isClosed())).toEqual([true, false])
  // It stays on one document and requests no other.
  const asked = site.asked.length
  await sleep(500)
  expect(site.asked).toHaveLength(asked)
})
