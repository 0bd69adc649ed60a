// @module-tag browser

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { addressOf, hangRoots, startHung } from '../support/gallery/hang.ts'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { useS3 } from '../support/servers/use-servers.ts'
import { makeKey } from '../support/store/results.ts'

const visit = useVisitors()
const s3 = useS3()

/** A typical reverse proxy: it removes its path prefix, and knows nothing else of the service. */
async function startProxy(path: string): Promise<{ readonly url: string; lead(target: string): void }> {
  let target = ''
  const proxy = createServer((asked, answer) => {
    if (!asked.url?.startsWith(`${path}/`)) return answer.writeHead(404).end()
    const { method = 'GET', headers } = asked
    const onward = request(target + asked.url.slice(path.length), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close(() => {}).closeAllConnections())
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`,
    lead: (to) => {
      target = to
    },
  }
}

test('everything works behind a proxy path, with keys and pictures in a bucket, beginning with a link', async () => {
  const proxy = await startProxy('/team/shots')
  const service = await startHung({ AUTH: 'keys', PUBLIC_URL: proxy.url, IMAGES_URL: s3.newPlace() })
  // The bucket has a clock of its own.
  service.now = Date.now()
  proxy.lead(service.url)
  const { projectId, rootIds, store } = service
  const { secret } = await makeKey(store, projectId)
  const link = `${proxy.url}/projects/${projectId}/pages/history?url=${encodeURIComponent(addressOf('About'))}&compare=difference`
  const { page, complaints } = await visit(link)
  await page.getByLabel('API key').fill(secret)
  await page.keyboard.press('Enter')
  // The view of the link, not the first one.
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/^100\s?% different/)
  expect(page.url()).toBe(link)
  await page.getByRole('radio', { name: 'Side by side' }).check()
  await expect
    .poll(() =>
      page
        .locator('.beside img')
        .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth)),
    )
    .toEqual([600, 600])
  await page.getByRole('link', { name: 'Screenshots', exact: true }).click()
  await expect.poll(() => page.locator('.preview.loaded').count()).toBe(12)
  await page.locator('.root').first().click()
  await page.waitForURL(`${proxy.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await page.getByRole('link', { name: 'Open Home' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download this picture' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/Home.*\.png$/)
  expect(complaints).toEqual([])
})

test('PAGE_LIMIT of the service is respected', async () => {
  const { url, projectId, rootIds } = await startHung({ PAGE_LIMIT: '2' })
  const { page, complaints } = await visit(`${url}/projects/${projectId}`)
  await expect.poll(() => page.locator('.root').count()).toBe(3)
  await page.goto(`${url}/projects/${projectId}/roots/${rootIds[0]}`)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBe(4)
  await page.goto(`${url}/projects/${projectId}/pages`)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBe(4)
  expect(complaints).toEqual([])
})

test('the form says if the browser blocks storage, and if the text is not a key', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store, service.projectId)
  const { page, complaints } = await visit('about:blank')
  await page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  })
  await page.goto(service.url)
  const field = page.getByLabel('API key')
  await field.fill('clé')
  await page.keyboard.press('Enter')
  await page.getByText('This is not a key').waitFor()
  await field.fill(secret)
  await page.getByRole('button', { name: 'Open the gallery' }).press('Enter')
  await page.getByText('This browser does not allow this page to store').waitFor()
  // A pressed button keeps the focus, whatever happens.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Open the gallery')
  expect(complaints).toEqual([])
})

test('after a restart of the service the list and its pictures recover by themselves', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 1, jobsPerRoot: 300, now: service.now })
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${rootIds[0]}`)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBeGreaterThan(5)
  await page.context().setOffline(true)
  await page.evaluate(() => window.scrollTo(0, 8_000))
  const problem = page.getByText('The service does not answer')
  await problem.waitFor()
  // It is visible although the list is far from its end.
  const box = await problem.boundingBox()
  expect(box && box.y > 0 && box.y < 800).toBe(true)
  await page.context().setOffline(false)
  await problem.waitFor({ state: 'detached' })
  const seen = page.locator('.card')
  await expect
    .poll(async () => (await page.locator('.preview.loaded').count()) === (await seen.count()))
    .toBe(true)
  expect(await page.getByText('no picture').count()).toBe(0)
})

test('a missing root is reported once', async () => {
  const { url, projectId } = await startHung()
  const { page } = await visit(`${url}/projects/${projectId}/roots/${crypto.randomUUID()}`)
  await page.getByRole('alert').first().waitFor()
  await expect.poll(() => page.getByRole('alert').allInnerTexts()).toHaveLength(1)
})

test('only the visible ones of very many projects are read', async () => {
  const service = await startHung()
  for (let index = 0; index < 120; index++) {
    const projectId = crypto.randomUUID()
    await service.store.createProject({ projectId, name: `Project ${index}`, created: service.now + index })
  }
  const { page } = await visit('about:blank')
  let asked = 0
  page.on('request', (each) => {
    if (each.url().includes('overview')) asked++
  })
  await page.goto(service.url)
  await expect.poll(() => page.locator('.project-card').count()).toBe(121)
  await expect.poll(() => page.getByText('nothing captured yet').count()).toBeGreaterThan(3)
  expect(asked).toBeLessThan(40)
  await page.getByText('Project 119').scrollIntoViewIfNeeded()
  await expect
    .poll(() => page.locator('.project-card').last().innerText())
    .toMatch(/Project 119\s+nothing captured yet/)
})

test('the pictures of a project get new URLs when the old ones expire', async () => {
  const service = await startHung()
  await hangRoots(service, { name: 'Another site', now: service.now + 1, roots: 1 })
  const { page } = await visit('about:blank')
  const later = service.now + 86_400_000
  await page.route('**/*-preview.png*', async (route) => {
    if (service.now === later) return await route.continue()
    // The machine sleeps between the answer and the pictures.
    service.now = later
    await route.fulfill({ status: 403, body: '' })
  })
  await page.goto(service.url)
  await expect.poll(() => page.locator('.preview.loaded').count()).toBe(8)
})

test('a comparison that fails says why, and can be repeated', async () => {
  const { url, projectId } = await startHung()
  const { page } = await visit('about:blank')
  await page.route('**/pictures/**', (route) => route.abort())
  await page.goto(
    `${url}/projects/${projectId}/pages/history?url=${encodeURIComponent(addressOf('Home'))}&compare=difference`,
  )
  await expect
    .poll(() => page.locator('.verdict').innerText())
    .toMatch(/Not compared\s+The service does not answer/)
  await page.unroute('**/pictures/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/^100\s?% different/)
})

test('a link to an old picture shows it in the timeline, and a link to a missing one shows the newest', async () => {
  const service = await startService()
  const { projectId, rootIds } = await hangMany(service, { roots: 100, jobsPerRoot: 1, now: service.now })
  const old = `/api/projects/${projectId}/screenshots/root/${rootIds[80]}`
  const { jobs } = (await (await service.get(old)).json()) as RootResult
  const address = `${service.url}/projects/${projectId}/pages/history?url=https://site.example/0`
  const { page } = await visit(`${address}&after=${jobs[0]?.uuid}`)
  const pressed = page.locator('.after button[aria-pressed=true]')
  await expect.poll(() => pressed.count()).toBe(1)
  const [row, frame] = [await page.locator('.timeline').boundingBox(), await pressed.boundingBox()]
  expect(row && frame && frame.x >= row.x && frame.x + frame.width <= row.x + row.width).toBe(true)
  await page.goto(`${address}&after=${crypto.randomUUID()}`)
  await expect.poll(() => page.locator('.verdict').innerText()).toMatch(/different/)
})

test('with system colours, the chosen option is still visible', async () => {
  const { url, projectId } = await startHung()
  const { page } = await visit('about:blank')
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${url}/projects/${projectId}/pages/history?url=${encodeURIComponent(addressOf('Home'))}`)
  await page.locator('.slider').waitFor()
  const edge = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).outlineStyle)
  expect(await edge('.choice :checked + span')).toBe('solid')
  expect(await edge('.choice :not(:checked) + span')).toBe('none')
  expect(await edge('.pick [aria-pressed=true]')).toBe('solid')
  await page.goto(`${url}/projects/${projectId}/capture`)
  expect(await edge('.size:has(:checked)')).toBe('solid')
  expect(await edge('.size:not(:has(:checked))')).toBe('none')
})

test.each([390, 790, 1280])('text of twice the size does not overlap: %i wide', async (width) => {
  const { url, projectId, rootIds } = await startHung()
  const { page } = await visit('about:blank', { width, height: 900 })
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  const at = `${url}/projects/${projectId}`
  /** Pairs of elements that overlap, and how far anything sticks out at the side. */
  const overlaps = (selector: string) =>
    page.locator(selector).evaluateAll((elements) => {
      const boxes = elements.map((element) => element.getBoundingClientRect())
      const pairs = boxes.flatMap((one, index) =>
        boxes.slice(index + 1).filter((other) => {
          const aside = one.right <= other.left + 1 || other.right <= one.left + 1
          return !aside && one.bottom > other.top + 1 && other.bottom > one.top + 1
        }),
      )
      const { scrollWidth, clientWidth } = document.documentElement
      return [elements.length > 2, pairs.length, scrollWidth - clientWidth]
    })
  await page.goto(at)
  await page.locator('.root').first().waitFor()
  expect(await page.evaluate(() => getComputedStyle(document.body).fontSize)).toBe('32px')
  expect(await overlaps('.root .facts, .root .strip')).toEqual([true, 0, 0])
  // Pictures matter most: texts do not squeeze them.
  expect((await page.locator('.strip').first().boundingBox())?.height).toBeGreaterThan(120)
  await page.goto(`${at}/roots/${rootIds[0]}`)
  await page.locator('.open').first().waitFor()
  expect(await overlaps('.card > *')).toEqual([true, 0, 0])
  await page.goto(`${at}/pages/history?url=${encodeURIComponent(addressOf('Home'))}`)
  await page.locator('.slider').waitFor()
  expect(await overlaps('.timeline .frame')).toEqual([true, 0, 0])
})

test('a project without a name has a link and can be opened', async () => {
  const service = await startHung()
  const projectId = crypto.randomUUID()
  await service.store.createProject({ projectId, name: '', created: service.now + 1 })
  const { page } = await visit(service.url)
  await page.getByRole('link', { name: /^Untitled/ }).click()
  await page.getByText('There are no screenshots yet').waitFor()
  await page.getByRole('link', { name: 'Untitled', exact: true }).waitFor()
})
