// @module-tag browser

import { expect, test } from 'vitest'
import { startHung } from '../support/gallery/hang.ts'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { addPictures, makePng, makeProject, submittedJob } from '../support/store/results.ts'

const visit = useVisitors()

test('all pictures of a page are shown in order of time, and two of them are compared in three ways', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  // The same page three times: the second is the first with a quarter of it changed, the third is longer.
  const white = await makePng(400, 300, '#ffffff')
  const { default: sharp } = await import('sharp')
  const quarter = await makePng(200, 150, '#0000aa')
  const changed = await sharp(white)
    .composite([{ input: quarter, left: 200, top: 150 }])
    .png()
    .toBuffer()
  const longer = await makePng(400, 600, '#ffffff')
  for (const [index, png] of [white, changed, longer].entries()) {
    const created = Date.UTC(2026, index, 10, 12)
    await addPictures(service, projectId, { created, jobs: [submittedJob(png)] })
  }
  const { page, complaints } = await visit(
    `${service.url}/projects/${projectId}/pages/history?url=${encodeURIComponent('https://example.com/')}`,
  )
  const frames = page.locator('.timeline li')
  await expect.poll(() => frames.count()).toBe(3)
  // Chronological on the screen, the newest at the right.
  const inOrder = await frames.evaluateAll((items) =>
    items
      .sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left)
      .map((item) => item.querySelector('.month')?.textContent),
  )
  expect(inOrder).toEqual(['January 2026', 'February 2026', 'March 2026'])
  // The last two at first: half of the longer one is new, an eighth of it has changed.
  const verdict = page.locator('.verdict')
  await expect
    .poll(() => verdict.innerText())
    .toMatch(/^62\.5\s?% different\s+10 Feb 2026, 12:00 → 10 Mar 2026, 12:00/)
  await page.getByRole('button', { name: 'Before: 10 Jan 2026' }).click()
  await page.getByRole('button', { name: 'After: 10 Feb 2026' }).click()
  await expect.poll(() => verdict.innerText()).toMatch(/^25\s?% different/)

  // The slider: only the later picture at its left end, only the earlier one at its right end.
  const slider = page.getByRole('slider')
  await slider.focus()
  await page.keyboard.press('Home')
  const clip = () => page.locator('.slider .over').evaluate((image) => getComputedStyle(image).clipPath)
  expect(await clip()).toBe('inset(0px 0px 0px 0%)')
  await page.keyboard.press('End')
  expect(await clip()).toBe('inset(0px 0px 0px 100%)')

  await page.getByRole('radio', { name: 'Difference' }).check()
  const colours = () =>
    page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const context = canvas.getContext('2d')
      return [
        [100, 75],
        [300, 225],
      ].map(([x = 0, y = 0]) => [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3))
    })
  await expect.poll(colours).toEqual([
    [255, 255, 255],
    [expect.any(Number), expect.any(Number), expect.any(Number)],
  ])
  const [, [red = 0, green = 0] = []] = await colours()
  expect(red).toBeGreaterThan(2 * green)

  await page.getByRole('radio', { name: 'Side by side' }).check()
  expect(await page.locator('.beside img').count()).toBe(2)
  // All of this is in the URL.
  await page.reload()
  await expect.poll(() => verdict.innerText()).toMatch(/^25\s?% different/)
  expect(await page.locator('.beside img').count()).toBe(2)
  // The warning comes from the test, which reads the canvas again and again.
  expect(complaints.filter((text) => !text.includes('willReadFrequently'))).toEqual([])
})

test('equal pictures have no difference, and a single picture is not compared', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const png = await makePng(400, 300)
  await addPictures(service, projectId, { created: 1_700_000_000_000, jobs: [submittedJob(png)] })
  const address = `${service.url}/projects/${projectId}/pages/history?url=https://example.com/`
  const { page, complaints } = await visit(address)
  await page.getByText('There is only one picture of this page').waitFor()
  await addPictures(service, projectId, { created: 1_700_100_000_000, jobs: [submittedJob(png)] })
  await page.reload()
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/^0\s?% different/)
  await page.goto(`${service.url}/projects/${projectId}/pages/history?url=https://never.example/`)
  await page.getByText('There is no picture of this address').waitFor()
  expect(complaints).toEqual([])
})

test('imported pictures are compared with pictures of the same width', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const [wide, narrow] = [await makePng(800, 500), await makePng(390, 844)]
  for (const day of [1, 2]) {
    await addPictures(service, projectId, {
      created: Date.UTC(2026, 0, day),
      jobs: [submittedJob(wide), submittedJob(narrow, { name: 'Home on a phone' })],
    })
  }
  const { page, complaints } = await visit(
    `${service.url}/projects/${projectId}/pages/history?url=https://example.com/`,
  )
  for (const name of ['800 wide', '390 wide']) {
    await page.getByRole('radio', { name, exact: true }).check()
    await expect.poll(() => page.locator('.timeline li').count()).toBe(2)
    await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/^0\s?% different/)
    await page.locator('.timeline').getByText(name.slice(0, 3)).first().waitFor()
  }
  expect(complaints).toEqual([])
})

test('older pictures load on scrolling left, and few of hundreds exist at a time', async () => {
  const service = await startService()
  const { projectId } = await hangMany(service, { roots: 300, jobsPerRoot: 1, now: service.now })
  const { page, complaints } = await visit(
    `${service.url}/projects/${projectId}/pages/history?url=https://site.example/0`,
  )
  const frames = page.locator('.timeline li')
  await frames.first().waitFor()
  const row = page.locator('.timeline')
  await expect
    .poll(async () => {
      await row.evaluate((element) => element.scrollBy(-1e6, 0))
      return await row.evaluate((element) => element.scrollWidth)
    })
    .toBeGreaterThan(300 * 170)
  expect(await frames.count()).toBeLessThan(30)
  await page
    .getByRole('button', { name: /^Before: / })
    .first()
    .click()
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/different/)
  expect(complaints).toEqual([])
})

test('a card of the grid opens the history of its page, and going back returns', async () => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.locator('a.address').first().click()
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/^100\s?% different/)
  await page.goBack()
  await page.getByRole('list', { name: 'Pictures, in the order of the request' }).waitFor()
})
