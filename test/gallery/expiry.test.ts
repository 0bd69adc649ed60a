// @module-tag browser

import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'

const visit = useVisitors()

const HOUR_MS = 3_600_000

test('picture URLs that expire while the page is open are renewed unnoticed', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 400, now: service.now })
  const { page, complaints } = await visit('about:blank')
  await page.clock.install({ time: service.now })
  /** For the service and for the page. */
  const pass = async (milliseconds: number) => {
    service.now += milliseconds
    await page.clock.fastForward(milliseconds)
  }
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBeGreaterThan(5)
  const address = () => page.locator('.card img').first().getAttribute('src')
  const before = await address()
  // Valid for eighteen hours from the middle of a window: new URLs are there half a minute before the end.
  await pass(18 * HOUR_MS - 30_000)
  await expect.poll(address).not.toBe(before)
  await pass(HOUR_MS)
  // Pictures that were not seen yet load with their new URLs: in the grid, and one by one.
  await page.mouse.wheel(0, 6_000)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(5_000)
  await expect.poll(() => seenPictures(page)).toBe('all there')
  await page.locator('.open').nth(8).click()
  const shown = page.locator('.pswp__img:not(.pswp__img--placeholder)')
  await shown.first().waitFor()
  expect(failed).toEqual([])
  expect(complaints).toEqual([])
  // After a sleep past their expiry, a user continues at once: failed pictures load again by themselves.
  await pass(24 * HOUR_MS)
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
  await expect
    .poll(() =>
      shown.evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth)),
    )
    .toEqual([400, 400, 400])
})

/** The picture two steps ahead is fetched in advance, and fails before it has a slide. */
async function failAhead() {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 30, now: service.now })
  const { page } = await visit('about:blank')
  await page.clock.install({ time: service.now })
  await page.goto(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await page.locator('.open').first().click()
  const shown = page.locator('.pswp__img:not(.pswp__img--placeholder)')
  await expect.poll(() => shown.count()).toBe(2)
  // The fourth one: the first three were fetched when the lightbox opened.
  await page.waitForLoadState('networkidle')
  service.now += 2 * 86_400_000
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => refused.length).toBe(1)
  const widths = () =>
    shown.evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth))
  return { page, widths }
}

test('a picture that failed before its slide existed is loaded again and shown', async () => {
  const { page, widths } = await failAhead()
  await page.keyboard.press('ArrowRight')
  await expect.poll(widths).toEqual([400, 400, 400])
})

test('a picture that failed before its slide existed is shown even if the picture URLs were renewed meanwhile', async () => {
  const { page, widths } = await failAhead()
  const address = () => page.locator('.card img').first().getAttribute('src')
  const before = await address()
  await page.clock.fastForward(2 * 86_400_000)
  await expect.poll(address).not.toBe(before)
  await page.keyboard.press('ArrowRight')
  await expect.poll(widths).toEqual([400, 400, 400])
})

/** Of those on the screen. */
async function seenPictures(page: Page): Promise<string> {
  return await page.locator('.card img').evaluateAll((images) => {
    const seen = images.filter((image) => {
      const { top, bottom } = image.getBoundingClientRect()
      return bottom > 0 && top < window.innerHeight
    })
    const there = seen.filter((image) => (image as HTMLImageElement).naturalWidth > 0)
    return seen.length > 5 && there.length === seen.length ? 'all there' : `${there.length} of ${seen.length}`
  })
}

test('after the machine has slept, the pictures are shown again', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 300, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBeGreaterThan(5)
  // For the service two days pass in an instant, unnoticed by the timers of the page.
  service.now += 2 * 86_400_000
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  // Scrolls to pictures that were listed before the sleep and not seen yet.
  await page.mouse.wheel(0, 3_000)
  await expect.poll(() => refused.length).toBeGreaterThan(0)
  await expect.poll(() => seenPictures(page)).toBe('all there')
  expect(await page.getByText('no picture').count()).toBe(0)
})

test('a missing picture is reported, without endless requests', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 3, now: service.now })
  const { page } = await visit('about:blank')
  let asked = 0
  await page.route('**/*-preview.png*', (route) => {
    asked++
    return route.fulfill({ status: 404, body: '' })
  })
  await page.goto(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await expect.poll(() => page.getByText('no picture').count()).toBe(3)
  await sleep(1_000)
  expect(asked).toBeLessThan(10)
})
