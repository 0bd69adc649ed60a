// @module-tag browser

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startHung } from '../support/gallery/hang.ts'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { newRequest } from '../support/store/captures.ts'
import { addPictures, makePng, submittedJob } from '../support/store/results.ts'

const visit = useVisitors()

const scrolled = (page: Page) => page.evaluate(() => Math.round(window.scrollY))

/** With the entry of the history. */
const noted = (page: Page) => page.evaluate(() => Math.round(history.state?.scroll ?? 0))

/** What has the focus: its label, its text or its name. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document
    return (
      element?.getAttribute('aria-label') ??
      (element instanceof HTMLAnchorElement ? element.textContent : element?.localName)
    )
  })

test('the first tab stop skips the bar and keeps the route', async () => {
  const { url, projectId } = await startHung()
  const { page, complaints } = await visit(`${url}/projects/${projectId}/pages?q=pric`)
  await page.locator('.card').first().waitFor()
  const address = page.url()
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Skip to content')
  await page.keyboard.press('Enter')
  expect(page.url()).toBe(address)
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Search names and addresses')
  expect(complaints).toEqual([])
})

test('a new view gets the focus, and screen readers announce its name', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit(`${url}/projects/${projectId}`)
  await page.getByRole('link', { name: '28 February 2026' }).press('Enter')
  await page.waitForURL(`**/roots/${rootIds[0]}`)
  await expect.poll(() => focused(page)).toBe('28 February 2026 at 06:00:00')
  await expect
    .poll(() => page.getByRole('main').evaluate((main) => main === document.activeElement))
    .toBe(true)
  // A search is not a change of view.
  await page.getByRole('link', { name: 'Pages' }).press('Enter')
  await expect.poll(() => focused(page)).toBe('Pages')
  await page.getByRole('searchbox').fill('pric')
  await page.waitForURL('**?q=pric')
  expect(await focused(page)).toBe('Search names and addresses')
})

test('going back from a search by tag and forward again restores the scroll position of each entry', async () => {
  const service = await startService()
  const { projectId } = await hangMany(service, { roots: 60, jobsPerRoot: 2, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}`)
  const scrollTo = async (y: number) => {
    await expect
      .poll(() =>
        page.evaluate((to) => {
          window.scrollTo(0, to)
          return Math.round(window.scrollY)
        }, y),
      )
      .toBe(y)
    await expect.poll(() => noted(page)).toBe(y)
  }
  await page.locator('.root').first().waitFor()
  await scrollTo(3_000)
  // Like the tag of a root, which would have to be at this very place: the same view with another list.
  await page.evaluate((href) => {
    const link = document.createElement('a')
    link.href = href
    document.querySelector('main')?.append(link)
    link.click()
    link.remove()
  }, `/projects/${projectId}?q=Page`)
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('Page')
  await expect.poll(() => scrolled(page)).toBe(0)
  await page.locator('.root').first().waitFor()
  await scrollTo(1_500)
  await page.goBack()
  await expect.poll(() => scrolled(page)).toBe(3_000)
  await page.goForward()
  await expect.poll(() => scrolled(page)).toBe(1_500)
  await page.reload()
  await expect.poll(() => scrolled(page)).toBe(1_500)
})

test('the focus moves from a picture to its history', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.getByRole('link', { name: 'Open Pricing' }).press('Enter')
  await page.getByRole('button', { name: 'History' }).press('Enter')
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  await expect.poll(() => focused(page)).toBe('Pricing')
})

test('rotating a phone keeps the same rows in view', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 95, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`, {
    width: 390,
    height: 844,
  })
  await page.locator('.open').first().waitFor()
  await page.evaluate(() => window.scrollTo(0, 5_000))
  /** The first picture whose middle is on the screen. */
  const first = () =>
    page.locator('.open').evaluateAll((links) => {
      const seen = links.find((link) => {
        const { top, height } = link.getBoundingClientRect()
        return top + height / 2 > 0
      })
      return Number(seen?.textContent.replace('Open Page ', ''))
    })
  await expect.poll(first).toBeGreaterThan(40)
  const before = await first()
  await page.setViewportSize({ width: 844, height: 390 })
  await expect.poll(async () => Math.abs((await first()) - before)).toBeLessThanOrEqual(3)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(async () => Math.abs((await first()) - before)).toBeLessThanOrEqual(3)
})

test('reloading an endless list restores its old scroll position, even on a slow connection', async () => {
  const service = await startService()
  const { projectId } = await hangMany(service, { roots: 160, jobsPerRoot: 1, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}`)
  await page.locator('.root').first().waitFor()
  await expect
    .poll(() =>
      page.evaluate(() => {
        window.scrollTo(0, 24_000)
        return Math.round(window.scrollY)
      }),
    )
    .toBe(24_000)
  await expect.poll(() => noted(page)).toBe(24_000)
  const delays = [300, 4_000]
  await page.route(/overview\?/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, delays.shift() ?? 300))
    await route.continue()
  })
  await page.reload()
  await expect.poll(() => scrolled(page)).toBe(24_000)
})

test('new captures do not move the rows on the screen', async () => {
  const service = await startService({ CAPTURE_CONCURRENCY: '0' })
  const { projectId } = await hangMany(service, { roots: 50, jobsPerRoot: 1, now: service.now })
  const capture = async (created: number) => {
    await service.store.captures.accept(newRequest(projectId, { created }))
  }
  await capture(service.now)
  const { page } = await visit(`${service.url}/projects/${projectId}`)
  await page.locator('.root').first().waitFor()
  /** The first visible row and its place in the list, read together, because the list may be redrawn in between. */
  const look = () =>
    page.locator('.root a').evaluateAll((links) => {
      const first = links.find((link) => link.getBoundingClientRect().top > 60)
      return {
        seen: [first?.getAttribute('href'), first?.getBoundingClientRect().top],
        place: Number(first?.closest('.row')?.getAttribute('aria-posinset')),
      }
    })
  // The list may still be too short to be scrolled so far.
  const lookBelow = async () => {
    await page.evaluate(() => window.scrollTo(0, 1_700))
    return (await look()).place
  }
  await expect.poll(lookBelow).toBeGreaterThan(8)
  const before = await look()
  await capture(service.now + 1)
  await capture(service.now + 2)
  await expect.poll(async () => (await look()).place).toBe(before.place + 2)
  expect((await look()).seen).toEqual(before.seen)
})

test('a root whose id occurs in two projects is shown in each of them', async () => {
  const service = await startService()
  const rootId = crypto.randomUUID()
  const png = await makePng()
  for (const [index, name] of ['Theirs', 'Ours'].entries()) {
    const projectId = crypto.randomUUID()
    await service.store.createProject({ projectId, name, created: index })
    const url = `https://${name.toLowerCase()}.example/`
    await addPictures(service, projectId, {
      rootId,
      created: service.now,
      jobs: [submittedJob(png, { name, url })],
    })
  }
  const { page, complaints } = await visit(service.url)
  for (const name of ['Theirs', 'Ours', 'Theirs']) {
    await page.locator('.project-card', { hasText: name }).click()
    await page.locator('.root h2 a').click()
    await page.locator('.card').first().waitFor()
    // A wrong name that is corrected later counts as wrong.
    expect(await page.locator('.card strong').innerText()).toBe(name)
    await page.waitForLoadState('networkidle')
    expect(await page.locator('.card strong').innerText()).toBe(name)
    await page.getByRole('link', { name: 'proofsheet: all projects' }).click()
  }
  expect(complaints).toEqual([])
})
