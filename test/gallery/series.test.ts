// @module-tag browser

import { expect, test } from 'vitest'
import { chooseSeries, describeSeries, listSeries } from '../../gallery/src/compare/series.ts'
import type { JobOverview } from '../../src/contract/browsing.ts'
import type { View } from '../../src/contract/capture-options.ts'
import { DAY_MS } from '../support/gallery/hang.ts'
import { hangCaptured } from '../support/gallery/hang-captured.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { addPictures, makePng, makeProject, submittedJob } from '../support/store/results.ts'

const visit = useVisitors()
const HOME = 'https://site.example/'

const job = (uuid: string, width: number, view?: View) =>
  ({ uuid, screenshotParameter: { width, height: 3_000 }, ...(view && { view }) }) as JobOverview
const [wide, phone, full] = [
  { width: 1280, height: 800, fullPage: false },
  { width: 390, height: 844, fullPage: false },
  { width: 1280, height: 800, fullPage: true },
]
const JOBS = [job('a', 1280, full), job('b', 390), job('c', 390, phone), job('d', 1280, wide), job('e', 390)]

test('pictures can be compared if they have the same options, or else the same width', () => {
  const series = listSeries(JOBS)
  expect(series.map(({ name }) => name)).toEqual([
    ...['window-1280x800', 'window-390x844', 'full-1280', 'width-390'],
  ])
  expect(series.map((each) => describeSeries(each, series))).toEqual([
    ...['Window 1280 × 800', 'Window 390 × 844', 'Full page, 1280 wide', 'Imported, 390 wide'],
  ])
  const imported = listSeries([job('b', 390)])
  expect(imported.map((each) => describeSeries(each, imported))).toEqual(['390 wide'])
})

test('pictures with different options belong to different series', () => {
  const later = [
    { ...wide, reducedMotion: true },
    { ...wide, css: 'p {}' },
    { ...wide, css: 'b {}' },
    wide,
  ] as View[]
  const series = listSeries(later.map((view, index) => job(`${index}`, 1280, view)))
  expect(series.map(({ name }) => name)).toEqual([
    ...['window-1280x800-reducedMotion', 'window-1280x800-css="p {}"', 'window-1280x800-css="b {}"'],
    'window-1280x800',
  ])
  expect(series.map((each) => describeSeries(each, series))).toEqual([
    ...[
      'Window 1280 × 800, reduced motion',
      'Window 1280 × 800, custom CSS',
      'Window 1280 × 800, custom CSS (2)',
    ],
    'Window 1280 × 800',
  ])
})

test.each([
  [{}, 'full-1280'],
  [{ picture: 'd' }, 'window-1280x800'],
  [{ picture: 'b' }, 'width-390'],
  [{ series: 'window-390x844', picture: 'd' }, 'window-390x844'],
  // As in old links.
  [{ series: 'width-1280' }, 'full-1280'],
  [{ series: 'width-390' }, 'width-390'],
  // The picture or series may still come while the list is incomplete; a complete list ignores it.
  [{ picture: 'z' }, undefined],
  [{ series: 'full-5' }, undefined],
  [{ picture: 'z', complete: true }, 'full-1280'],
  [{ series: 'full-5', complete: true }, 'full-1280'],
])('for %j in the URL, the series is %s', (named, name) => {
  const options = { series: '', picture: '', complete: false, ...named }
  expect(chooseSeries(JOBS, options)?.name).toBe(name)
})

async function start(): Promise<TestService & { projectId: string }> {
  const service = await startService({ CAPTURE_CONCURRENCY: '0' })
  return Object.assign(service, { projectId: await makeProject(service.store) })
}

/** One picture of the home page for each, the first is the newest. */
async function hang(service: TestService & { projectId: string }, views: readonly View[]): Promise<void> {
  const { projectId, now } = service
  for (const [index, view] of views.entries()) {
    const pages = [{ name: 'Home', url: HOME, height: view.fullPage ? 1_000 + index : view.height }]
    await hangCaptured(service, projectId, { created: now - index * DAY_MS, pages, ...view })
  }
}

test('only pictures of one series are compared, and the URL names the series', async () => {
  const service = await start()
  const { projectId, url } = service
  await hang(service, [wide, full, phone, full, wide, phone, { ...wide, height: 720 }])
  const png = await makePng(1280, 800)
  await addPictures(service, projectId, { created: 1, jobs: [submittedJob(png, { url: HOME })] })
  const at = `${url}/projects/${projectId}/pages/history?url=${HOME}`
  const { page, complaints } = await visit(at)
  const frames = page.locator('.timeline li')
  const verdict = page.locator('.verdict')
  const chosen = () => page.locator('.choice').first().getByRole('radio', { checked: true })
  const labels = page.locator('.choice').first().locator('label')
  await expect
    .poll(() => labels.allInnerTexts())
    .toEqual([
      ...['Window 1280 × 800', 'Window 1280 × 720', 'Window 390 × 844'],
      ...['Full page, 1280 wide', 'Imported, 1280 wide'],
    ])
  // The series of the newest picture, with the one before it in the same series.
  await expect.poll(() => frames.count()).toBe(2)
  await expect.poll(() => verdict.innerText()).toMatch(/25 Feb 2026, 06:00 → 1 Mar 2026, 06:00/)
  expect(await chosen().inputValue()).toBe('window-1280x800')
  await page.getByRole('radio', { name: 'Full page' }).check()
  await expect.poll(() => verdict.innerText()).toMatch(/different\s+26 Feb 2026, 06:00 → 28 Feb 2026, 06:00/)
  expect(new URL(page.url()).searchParams.get('series')).toBe('full-1280')
  await page.reload()
  await expect.poll(() => verdict.innerText()).toMatch(/26 Feb 2026, 06:00 → 28 Feb 2026, 06:00/)
  await page.getByRole('radio', { name: 'Imported' }).check()
  await page.getByText('There is only one picture of this kind').waitFor()
  expect(await verdict.count()).toBe(0)
  // Old links.
  await page.goto(`${at}&width=390`)
  await expect.poll(() => verdict.innerText()).toMatch(/24 Feb 2026, 06:00 → 27 Feb 2026, 06:00/)
  expect(complaints).toEqual([])
})

test('a picture leads to its own series', async () => {
  const service = await start()
  const { projectId, url } = service
  await hang(service, [wide, full, wide, full])
  const { page } = await visit(`${url}/projects/${projectId}`)
  await page.locator('.root').nth(1).click()
  await page.locator('a.address').click()
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/26 Feb 2026, 06:00 → 28 Feb 2026/)
  expect(await page.getByRole('radio', { name: 'Full page' }).isChecked()).toBe(true)
})

test('a series with few among very many pictures is found', async () => {
  const service = await start()
  const { projectId, url } = service
  await hang(service, [full, ...Array.from({ length: 70 }, () => wide), full, phone])
  const { page, complaints } = await visit('about:blank')
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/') && request.url().includes('/history')) asked++
  })
  await page.goto(`${url}/projects/${projectId}/pages/history?url=${HOME}`)
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/20 Dec 2025, 06:00 → 1 Mar 2026/)
  expect(await page.locator('.timeline li').count()).toBe(2)
  expect(asked).toBeLessThan(6)
  await page.getByRole('radio', { name: 'Window 1280' }).check()
  const row = page.locator('.timeline')
  await expect
    .poll(async () => {
      await row.evaluate((element) => element.scrollBy(-1e6, 0))
      return await row.evaluate((element) => element.scrollWidth)
    })
    .toBeGreaterThan(70 * 170)
  // Another series appears on going back in time.
  await page.getByRole('radio', { name: 'Window 390' }).waitFor()
  expect(complaints).toEqual([])
})
