// @module-tag browser

import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { launchBrowser, processesOf } from '../../src/camera/launch.ts'
import { findTestBrowser } from '../support/browser/test-browser.ts'
import { makeFolder } from '../support/processes/workspace.ts'

test('browsers that start at the same time have a folder each, and process.env is unchanged', async () => {
  const found = await findTestBrowser()
  const folder = await makeFolder()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const seen = new Set<string | undefined>()
  let starting = true
  const watching = (async () => {
    while (starting) {
      seen.add(process.env['TMPDIR'])
      await nextTurn()
    }
  })()
  const launched = await Promise.all([launchBrowser(found), launchBrowser(found)])
  for (const { close } of launched) onTestFinished(close)
  starting = false
  await watching
  expect([...seen]).toEqual([folder])
  const folders = await readdir(folder)
  expect(folders).toEqual(folders.map(() => expect.stringMatching(`^proofsheet-browser-${process.pid}-`)))
  expect(folders).toHaveLength(2)
  for (const name of folders) expect(await readdir(join(folder, name))).toContain('profile')
  for (const { browser } of launched) {
    const page = await (await browser.newContext()).newPage()
    expect(await page.evaluate('1 + 1')).toBe(2)
  }
  await Promise.all(launched.map(({ close }) => close()))
  expect(await readdir(folder)).toEqual([])
})

test('contexts share nothing, and no page is open before there is a context', async () => {
  const { browser, close } = await launchBrowser(await findTestBrowser())
  onTestFinished(close)
  expect(browser.contexts().flatMap((context) => context.pages())).toEqual([])
  const [one, other] = [await browser.newContext(), await browser.newContext()]
  await one.addCookies([{ name: 'a', value: 'b', url: 'https://example.com/' }])
  expect(await one.cookies()).toHaveLength(1)
  expect(await other.cookies()).toEqual([])
})

test.runIf(groupOf('self') !== '')('the browser has a lower priority than the service', async () => {
  const own = groupOf('self')
  const { browser, close } = await launchBrowser(await findTestBrowser())
  onTestFinished(close)
  const { pid } = await processesOf(browser)
  expect(groupOf(pid)).toMatch(/^\S+ nice 5\n$/)
  expect(groupOf('self')).toBe(own)
})

/** The scheduling group of a process on Linux. Empty if there are no such groups. */
function groupOf(pid: number | 'self' | undefined): string {
  const file = `/proc/${pid}/autogroup`
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
