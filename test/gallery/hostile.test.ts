// @module-tag browser

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { newRequest, takeAll } from '../support/store/captures.ts'
import { addPictures, makePng, submittedJob } from '../support/store/results.ts'

const visit = useVisitors()

const NAMES = [
  '<script>window.hacked = true</script>',
  '"><img src=x onerror="window.hacked=true">',
  'javascript:window.hacked=true',
  '\u202eecilA\u202c مرحبا بالعالم',
  '👩‍👩‍👧‍👦🏴‍☠️'.repeat(40),
  'x'.repeat(2_000),
  'a b '.repeat(500),
  '{{7*7}}',
  'e\u0301\u0302\u0303\u0304\u0305'.repeat(50),
]
const ADDRESSES = [
  'https://example.com/<script>window.hacked=true</script>',
  'javascript:window.hacked=true',
  `https://example.com/${'long/'.repeat(400)}`,
  'https://example.com/?q="><img src=x onerror=window.hacked=true>',
  'https://مثال.example/\u202egnp.exe',
  'data:text/html,<script>window.hacked=true</script>',
]

/** Nothing sticks out of the screen, and no text out of its box. */
async function expectLaidOut(page: Page): Promise<void> {
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBe(0)
}

async function expectInert(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as { hacked?: boolean }).hacked)).toBeUndefined()
  expect(await page.locator('script:not([src])').count()).toBe(0)
  const links = await page
    .locator('a')
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
  expect(links.filter((href) => href !== '' && !/^https?:/.test(href))).toEqual([])
}

test.each([390, 1280])(
  'malicious names, URLs and tags are shown as text and fit the screen: %i wide',
  async (width) => {
    const service = await startService({ CAPTURE_CONCURRENCY: '0' })
    const projectId = crypto.randomUUID()
    await service.store.createProject({ projectId, name: NAMES.join(' '), created: 1 })
    const png = await makePng(300, 200)
    const jobs = NAMES.map((name, index) =>
      submittedJob(png, { name, url: ADDRESSES[index % ADDRESSES.length] as string }),
    )
    const { rootId } = await addPictures(service, projectId, { created: service.now, jobs })
    const pages = NAMES.map((name, index) => ({
      url: ADDRESSES[index % ADDRESSES.length] as string,
      name,
      loadingTime: 1,
    }))
    const request = {
      ...newRequest(projectId, {
        created: service.now + 1,
        options: { tags: NAMES.map((name) => name.slice(0, 100)) },
      }),
      pages,
    }
    await service.store.captures.accept(request)
    for (const task of await takeAll(service.store, { now: service.now, leaseMs: 1_000 })) {
      const failed = { reason: 'dns', detail: NAMES[task.position] ?? '' } as const
      await service.store.captures.finish(task, failed, service.now)
    }
    const at = (path: string) => `${service.url}/projects/${projectId}${path}`
    const { page, complaints } = await visit(at(''), { width, height: 900 })
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
    await page.locator('.root').first().waitFor()
    await expectLaidOut(page)
    await expectInert(page)
    for (const path of [`/roots/${rootId}`, `/roots/${request.rootId}`, '/pages']) {
      await page.goto(at(path))
      await page
        .locator(path.includes(request.rootId) ? '.failures li' : '.card')
        .first()
        .waitFor()
      await expectLaidOut(page)
      await expectInert(page)
    }
    await page.goto(at(`/roots/${rootId}`))
    await page.locator('.open').first().click()
    await page.locator('.pswp__caption').waitFor()
    for (let step = 0; step < NAMES.length; step++) {
      await expectLaidOut(page)
      await expectInert(page)
      await page.keyboard.press('ArrowRight')
      await page.waitForTimeout(50)
    }
    for (const url of ADDRESSES) {
      await page.goto(at(`/pages/history?url=${encodeURIComponent(url)}`))
      await page.locator('.timeline').waitFor()
      await expectLaidOut(page)
      await expectInert(page)
    }
    await page.goto(at(`/?q=${encodeURIComponent(NAMES[1] ?? '')}&tag=${encodeURIComponent(NAMES[0] ?? '')}`))
    await page.goto(at(`?q=${encodeURIComponent(NAMES[1] ?? '')}&tag=${encodeURIComponent(NAMES[0] ?? '')}`))
    await page.locator('.tag.chosen').waitFor()
    await expectLaidOut(page)
    await expectInert(page)
    expect(complaints).toEqual([])
  },
)
