// @module-tag browser

import { expect, test } from 'vitest'
import { PAGES, startHung } from '../support/gallery/hang.ts'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { newRequest } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'

const visit = useVisitors()

test('roots are listed newest first, with date, number of pictures, state, tags and previews', async () => {
  const service = await startHung()
  await service.store.captures.accept(
    newRequest(service.projectId, { created: service.now, options: { tags: ['release', 'shop'] }, pages: 2 }),
  )
  const { page, complaints } = await visit(service.url)
  const rows = page.locator('.root')
  await expect.poll(() => rows.count()).toBe(4)
  expect(await rows.locator('h2').allTextContents()).toEqual([
    '1 March 2026',
    '28 February 2026',
    '27 February 2026',
    '26 February 2026',
  ])
  expect(await rows.nth(0).innerText()).toMatch(/06:00 · 0 pictures\s+waiting\s+release\s+shop/)
  expect(await rows.nth(1).innerText()).toMatch(/06:00 · 4 pictures\s+done/)
  await expect.poll(() => rows.nth(1).locator('.preview.loaded').count()).toBe(4)
  // Different days, different pictures.
  const sources = await rows
    .locator('img')
    .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).src))
  expect(new Set(sources).size).toBe(12)
  await rows.nth(2).click()
  await page.getByRole('heading', { name: '27 February 2026' }).waitFor()
  expect(page.url()).toBe(`${service.url}/projects/${service.projectId}/roots/${service.rootIds[1]}`)
  expect(complaints).toEqual([])
})

test('roots are found by names, URLs and tags; the URL holds the search', async () => {
  const service = await startHung()
  await service.store.captures.accept(
    newRequest(service.projectId, { created: service.now, options: { tags: ['release'] } }),
  )
  const { page, complaints } = await visit(service.url)
  const rows = page.locator('.root')
  await expect.poll(() => rows.count()).toBe(4)
  await page.keyboard.press('/')
  await page.keyboard.type('PRICING')
  await expect.poll(() => rows.count()).toBe(3)
  // The pictures shown are those that match.
  await expect.poll(() => rows.first().locator('img').count()).toBe(1)
  await expect.poll(() => new URL(page.url()).search).toBe('?q=PRICING')
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No screenshots match').waitFor()
  await page.getByRole('link', { name: 'Show everything' }).click()
  await expect.poll(() => rows.count()).toBe(4)
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
  await page.getByRole('link', { name: 'release' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?tag=release')
  await page.reload()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('link', { name: 'Remove the filter tag release' }).click()
  await expect.poll(() => rows.count()).toBe(4)
  expect(complaints).toEqual([])
})

test('more roots load on scrolling, and going back restores the scroll position', async () => {
  const service = await startService()
  const { projectId } = await hangMany(service, { roots: 130, jobsPerRoot: 3, now: service.now })
  const { page, complaints } = await visit(`${service.url}/projects/${projectId}`)
  const rows = page.locator('.root')
  await rows.first().waitFor()
  const height = () => page.evaluate(() => document.documentElement.scrollHeight)
  const scrolled = () => page.evaluate(() => window.scrollY)
  const early = await height()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 100_000)
      return await page.locator('.row').last().getAttribute('aria-posinset')
    })
    .toBe('130')
  expect(await height()).toBeGreaterThan(early * 4)
  expect(await rows.count()).toBeLessThan(20)
  // To the very end, where the last turn of the wheel is over.
  const end = (await height()) - 800
  await expect.poll(scrolled).toBe(end)
  await page.mouse.wheel(0, -8_000)
  await expect.poll(scrolled).toBe(end - 8_000)
  const [where, shown] = await page.evaluate(() => [
    window.scrollY,
    document.querySelector('.row:nth-child(6) a')?.getAttribute('href'),
  ])
  await rows.nth(5).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.goBack()
  await rows.first().waitFor()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(where)
  await expect
    .poll(() => page.evaluate(() => document.querySelector('.row:nth-child(6) a')?.getAttribute('href')))
    .toBe(shown)
  expect(complaints).toEqual([])
})

test('pages are listed once each, with the number and dates of their pictures, and can be searched', async () => {
  const { url, projectId } = await startHung()
  const { page, complaints } = await visit(`${url}/projects/${projectId}/pages`)
  const cards = page.locator('.card')
  await expect.poll(() => cards.count()).toBe(PAGES.length)
  expect(await cards.locator('strong').allTextContents()).toEqual(['Home', 'About', 'Contact', 'Pricing'])
  expect(await cards.first().innerText()).toMatch(/site\.example\s+3 pictures · 26 Feb 2026 – 28 Feb 2026/)
  await page.getByRole('searchbox').fill('pric')
  await expect.poll(() => cards.locator('strong').allTextContents()).toEqual(['Pricing'])
  await cards.first().click()
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  expect(complaints).toEqual([])
})

test('a missing root is reported, and an unreachable service can be retried', async () => {
  const { url, projectId } = await startHung()
  const { page } = await visit(`${url}/projects/${crypto.randomUUID()}`)
  await page.getByText('This does not exist').waitFor()
  await page.goto(`${url}/projects/${projectId}/nonsense/at/all`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  await page.route('**/overview**', (route) => route.abort())
  await page.goto(`${url}/projects/${projectId}`)
  await page.getByText('The service does not answer').waitFor()
  await page.unroute('**/overview**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => page.locator('.root').count()).toBe(3)
})

test('new captures and imports appear in a short list', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const { page } = await visit(`${service.url}/projects/${projectId}`)
  const rows = page.locator('.root')
  await page.getByText('There are no screenshots yet').waitFor()
  for (const count of [1, 2]) {
    await service.store.captures.accept(newRequest(projectId, { created: service.now + count }))
    // The page looks less and less often while nothing changes.
    await expect.poll(() => rows.count(), { timeout: 100_000 }).toBe(count)
  }
}, 220_000)
