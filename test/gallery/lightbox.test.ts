// @module-tag browser

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { addressOf, startHung } from '../support/gallery/hang.ts'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors, type Visitor } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { makePng, makeProject } from '../support/store/results.ts'

const visit = useVisitors()

const caption = (page: Page) => page.locator('.pswp__caption strong')
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  )

/** The picture in the middle of the screen, by its address. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const [image] = document
      .elementsFromPoint(window.innerWidth / 2, window.innerHeight / 2)
      .filter((element) => element instanceof HTMLImageElement && element.closest('.pswp'))
    return image === undefined ? '' : new URL((image as HTMLImageElement).src).pathname
  })

test('leaving the view while the lightbox loads does not open it in another view', async () => {
  const { url, projectId, rootIds } = await startHung()
  const address = `${url}/projects/${projectId}/roots/${rootIds[0]}`
  const { page } = await visit('about:blank')
  const held: (() => void)[] = []
  await page.route('**/assets/lightbox-*.js', (route) => void held.push(() => route.continue()))
  await page.goto(address)
  await page.getByRole('link', { name: 'Open Home' }).click()
  await expect.poll(() => held.length).toBe(1)
  await page.goBack()
  await page.waitForURL(address)
  for (const release of held) release()
  await page.waitForResponse(/lightbox-.*\.js/)
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  expect(await page.locator('.pswp').count()).toBe(0)
  // It can still be opened.
  await page.getByRole('link', { name: 'Open About' }).click()
  await expect.poll(() => caption(page).innerText()).toBe('About')
})

test('a message says if the lightbox cannot be loaded', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit('about:blank')
  await page.route('**/assets/lightbox-*.js', (route) => route.abort())
  await page.goto(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.getByRole('link', { name: 'Open Home' }).click()
  await page.getByText('Reload it').waitFor()
})

/** A root in which the test decides what is captured, and when. */
async function startCapturing(visitor: Visitor, pages: number, size: { width: number; height: number }) {
  const service = await startService({ CAPTURE_CONCURRENCY: '0' })
  service.now = Date.now()
  const projectId = await makeProject(service.store)
  const request = newRequest(projectId, { created: service.now, pages })
  const { captures } = service.store
  await captures.accept(request)
  const tasks = await takeAll(service.store, { now: service.now, leaseMs: 60_000 })
  const png = await makePng(size.width, size.height)
  await visitor.page.route('**/images/**', (route) => route.fulfill({ body: png, contentType: 'image/png' }))
  return {
    address: `${service.url}/projects/${projectId}/roots/${request.rootId}`,
    async finish(position: number) {
      const task = tasks[position]
      if (task) await captures.finish(task, { ...PICTURE, ...size }, service.now)
    },
  }
}

test('new pictures before the open one do not move it', async () => {
  const visitor = await visit('about:blank')
  const { page } = visitor
  const { address, finish } = await startCapturing(visitor, 3, { width: 1200, height: 720 })
  await finish(1)
  await page.goto(address)
  await page.getByRole('link', { name: 'Open Page 1' }).click()
  await expect.poll(() => caption(page).innerText()).toBe('Page 1')
  await expect.poll(() => shown(page)).not.toBe('')
  const before = [page.url(), await shown(page)]
  await finish(0)
  await finish(2)
  const counter = page.locator('.pswp__counter')
  await expect.poll(() => counter.innerText()).toBe('1 / 3')
  expect([page.url(), await shown(page), await caption(page).innerText()]).toEqual([...before, 'Page 1'])
  // All of them can be reached.
  const walked: string[] = []
  for (const place of ['2 / 3', '3 / 3']) {
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => counter.innerText()).toBe(place)
    await expect.poll(() => shown(page)).toContain(new URL(page.url()).searchParams.get('picture'))
    walked.push(await caption(page).innerText())
  }
  expect(walked.sort()).toEqual(['Page 0', 'Page 2'])
})

test('a user who is faster than the list waits at its end and then continues', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 103, now: service.now })
  const path = `/api/projects/${projectId}/screenshots/root/${rootIds[0]}`
  const { jobs } = (await (await service.get(path)).json()) as RootResult
  const { page } = await visit('about:blank')
  const held: (() => void)[] = []
  await page.route(/cursor=/, (route) => void held.push(() => route.continue()))
  await page.goto(`${service.url}/projects/${projectId}/roots/${rootIds[0]}?picture=${jobs[99]?.uuid}`)
  await expect.poll(() => caption(page).innerText()).toBe('Page 99')
  await expect.poll(() => held.length).toBe(1)
  for (const release of held) release()
  await expect.poll(() => page.locator('.pswp__counter').innerText()).toBe('100 / 103')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => caption(page).innerText()).toBe('Page 100')
  await expect.poll(() => shown(page)).toContain(`${jobs[100]?.uuid}`)
})

test('keys scroll a long picture, and it does not move when others arrive', async () => {
  const visitor = await visit('about:blank')
  const { page } = visitor
  const { address, finish } = await startCapturing(visitor, 2, { width: 1200, height: 16_000 })
  await finish(0)
  await page.goto(address)
  await page.getByRole('link', { name: 'Open Page 0' }).click()
  const top = () =>
    page
      .locator('.pswp__item[aria-hidden=false] .pswp__zoom-wrap')
      .evaluate((element) => Math.round(element.getBoundingClientRect().top))
  await expect.poll(top).toBe(56)
  await page.keyboard.press('ArrowDown')
  await expect.poll(top).toBe(56 - 80)
  await page.keyboard.press('PageDown')
  await expect.poll(top).toBe(56 - 80 - 640)
  await page.keyboard.press('End')
  await expect.poll(top).toBeLessThan(-10_000)
  const end = await top()
  await finish(1)
  await expect.poll(() => page.locator('.pswp__counter').innerText()).toBe('1 / 2')
  expect(await top()).toBe(end)
  await page.keyboard.press('Home')
  await expect.poll(top).toBe(56)
})

test('closing returns to the last picture, visible and focused', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 90, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.getByRole('link', { name: 'Open Page 0' }).click()
  await page.locator('.pswp').waitFor()
  for (let step = 1; step <= 60; step++) {
    await page.keyboard.press('ArrowRight')
    if (step % 10 === 0) await expect.poll(() => caption(page).innerText()).toBe(`Page ${step}`)
  }
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('.pswp').count()).toBe(0)
  await expect.poll(() => focused(page)).toBe('Open Page 60')
  const { top, bottom } = await page
    .getByRole('link', { name: 'Open Page 60' })
    .evaluate((link) => link.getBoundingClientRect())
  expect([top > 50, bottom < 800]).toEqual([true, true])
})

test('the URL can be copied without TLS, when browsers offer no clipboard', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit('about:blank')
  await page.context().grantPermissions(['clipboard-read'])
  await page.goto(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  const real = await page.evaluateHandle(() => navigator.clipboard)
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.getByRole('link', { name: 'Open Pricing' }).click()
  await page.getByRole('button', { name: 'Copy the address of the page' }).press('Enter')
  await page.getByText('Copied').waitFor()
  expect(await real.evaluate((clipboard) => clipboard.readText())).toBe(addressOf('Pricing'))
  expect(await focused(page)).toBe('Copy the address of the page')
})
