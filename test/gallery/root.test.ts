// @module-tag browser

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { addressOf, PAGES, startHung } from '../support/gallery/hang.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { readZip } from '../support/http/read-zip.ts'
import { makeKey } from '../support/store/results.ts'

const visit = useVisitors()

/** The picture in view; the others wait beside the screen. */
const caption = (page: Page) => page.locator('.pswp__caption')

test('a grid shows previews with name, URL and size; a click opens a picture, and arrows lead to the next', async () => {
  const { url, projectId, rootIds } = await startHung()
  const address = `${url}/projects/${projectId}/roots/${rootIds[0]}`
  const { page, complaints } = await visit(address)
  const cards = page.locator('.card')
  await expect.poll(() => cards.locator('strong').allTextContents()).toEqual([...PAGES])
  expect(await cards.nth(1).innerText()).toMatch(/Pricing\s+site\.example\/pricing\s+600 × 400/)
  await page.getByRole('link', { name: 'Open Home' }).click()
  await expect
    .poll(() => caption(page).innerText())
    .toMatch(/Home\s+site\.example\s+600 × 400 · 28 February 2026, 06:00/)
  await expect
    .poll(() =>
      page
        .locator('.pswp__img:not(.pswp__img--placeholder)')
        .first()
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    )
    .toBe(600)
  const first = new URL(page.url()).searchParams.get('picture')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => caption(page).innerText()).toMatch(/^Pricing/)
  expect(new URL(page.url()).searchParams.get('picture')).not.toBe(first)
  await page.getByRole('button', { name: 'Next' }).click()
  await expect.poll(() => caption(page).innerText()).toMatch(/^About/)
  await page.getByRole('button', { name: 'Zoom' }).click()
  // One step leaves the lightbox, however many pictures were viewed.
  await page.goBack()
  await expect.poll(() => page.locator('.pswp').count()).toBe(0)
  expect(page.url()).toBe(address)
  await page.goForward()
  await expect.poll(() => caption(page).innerText()).toMatch(/^About/)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('.pswp').count()).toBe(0)
  await expect.poll(() => page.url()).toBe(address)
  expect(complaints).toEqual([])
})

test('a picture has its own URL, and closing it stays in the gallery', async () => {
  const { url, projectId, rootIds, get } = await startHung()
  const root = (await (
    await get(`/api/projects/${projectId}/screenshots/root/${rootIds[0]}`)
  ).json()) as RootResult
  const address = `${url}/projects/${projectId}/roots/${rootIds[0]}`
  const { page, complaints } = await visit(`${address}?picture=${root.jobs[3]?.uuid}`)
  await expect.poll(() => caption(page).innerText()).toMatch(/^Contact/)
  await page.locator('.pswp--ui-visible').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => page.locator('.pswp').count()).toBe(0)
  await expect.poll(() => page.url()).toBe(address)
  expect(complaints).toEqual([])
})

test('swiping leads to the next picture', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit(`${url}/projects/${projectId}/roots/${rootIds[0]}`, {
    width: 390,
    height: 844,
    touch: true,
  })
  await page.getByRole('link', { name: 'Open Home' }).tap()
  await expect.poll(() => caption(page).innerText()).toMatch(/^Home/)
  await page.waitForTimeout(500)
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 400 }] })
  await touch('touchStart', 350)
  for (let x = 330; x > 40; x -= 30) await touch('touchMove', x)
  await touch('touchEnd')
  await expect.poll(() => caption(page).innerText()).toMatch(/^Pricing/)
})

test('the URL of a page can be copied, and a picture leads to the history of its page', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page, complaints } = await visit(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('link', { name: 'Open Pricing' }).click()
  await page.getByRole('button', { name: 'Copy the address of the page' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(addressOf('Pricing'))
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  expect(complaints).toEqual([])
})

test.each(['open', 'keys'])('one picture or all of them can be downloaded: %s', async (auth) => {
  const service = await startHung({ AUTH: auth })
  const { url, projectId, rootIds, store } = service
  const { page, complaints } = await visit(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const { secret } = await makeKey(store, projectId)
  if (auth === 'keys') {
    await page.getByLabel('API key').fill(secret)
    await page.keyboard.press('Enter')
  }
  const saved = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ])
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
  }
  const archive = await saved('Download all')
  expect(archive.name).toMatch(/\.zip$/)
  expect(readZip([archive.bytes]).map(({ name }) => name)).toEqual([
    '001-Home.png',
    '002-Pricing.png',
    '003-About.png',
    '004-Contact.png',
  ])
  await page.getByRole('link', { name: 'Open About' }).click()
  const picture = await saved('Download this picture')
  expect(picture.name).toMatch(/About.*\.png$/)
  expect([picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)]).toEqual([600, 400])
  expect(asked.filter((address) => address.includes(secret))).toEqual([])
  expect(complaints).toEqual([])
})
