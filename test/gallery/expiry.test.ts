import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hangMany } from '../support/hang.ts'
import { startService } from '../support/service.ts'
import { useVisitors } from '../support/visitor.ts'

const visit = useVisitors()

/** Addresses are valid for two to four seconds, and time goes by. */
async function startHasty() {
  const service = await startService({ SIGNING_WINDOW: '2s' })
  const ahead = Date.now() - service.now
  Object.defineProperty(service, 'now', { get: () => Date.now() })
  expect(ahead).not.toBe(0)
  return service
}

test('addresses that run out while the page stands open are renewed, and nobody notices', async () => {
  const service = await startHasty()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 400, now: Date.now() })
  const { page, complaints } = await visit(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  const address = () => page.locator('.card img').first().getAttribute('src')
  await expect.poll(() => page.locator('.preview.loaded').count()).toBeGreaterThan(5)
  const before = await address()
  await sleep(9_000)
  expect(await address()).not.toBe(before)
  // Pictures that were never seen come by their new addresses: in the grid, and one by one.
  await page.mouse.wheel(0, 6_000)
  await expect
    .poll(() =>
      page
        .locator('.card img')
        .evaluateAll(
          (images) => images.filter((image) => (image as HTMLImageElement).naturalWidth > 0).length,
        ),
    )
    .toBeGreaterThan(10)
  await page.locator('.open').nth(8).click()
  const shown = page.locator('.pswp__img:not(.pswp__img--placeholder)')
  await shown.first().waitFor()
  await sleep(6_000)
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
  await expect
    .poll(() =>
      shown.evaluateAll((images) =>
        images.every((image) => (image as HTMLImageElement).naturalWidth === 400),
      ),
    )
    .toBe(true)
  expect(failed).toEqual([])
  expect(complaints).toEqual([])
})

test('a machine that slept finds its pictures again', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 300, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBeGreaterThan(5)
  // For the service two days are over in an instant; no timer of the page has heard of them.
  service.now += 2 * 86_400_000
  await page.mouse.wheel(0, 8_000)
  await expect
    .poll(() =>
      page.locator('.card img').evaluateAll((images) => {
        const seen = images.filter((image) => {
          const { top, bottom } = image.getBoundingClientRect()
          return bottom > 0 && top < window.innerHeight
        })
        return seen.length > 5 && seen.every((image) => (image as HTMLImageElement).naturalWidth > 0)
      }),
    )
    .toBe(true)
  expect(await page.getByText('no picture').count()).toBe(0)
})

test('a picture that is really gone is said to be, without asking for ever', async () => {
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
