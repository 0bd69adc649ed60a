// @module-tag browser

import { getPriority } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../src/camera/launch.ts'
import { findTestBrowser } from '../support/test-browser.ts'

test('a browser has the processor after the service, also with what it starts later', async () => {
  const { browser, close } = await launchBrowser(await findTestBrowser())
  onTestFinished(close)
  const page = await browser.newPage()
  await page.goto('data:text/html,<p>Something to draw')
  await page.screenshot()
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  expect(processInfo.map(({ type }) => type)).toEqual(expect.arrayContaining(['browser', 'renderer']))
  for (const { type, id } of processInfo) {
    // What is nearest to the screen sets its priority itself, where it may, as root.
    if (type === 'GPU') continue
    expect([type, getPriority(id)]).toEqual([type, Math.min(19, getPriority() + 5)])
  }
})
