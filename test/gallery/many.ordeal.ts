// @module-tag browser

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hangMany } from '../support/gallery/hang-many.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'

const visit = useVisitors()

const countNodes = (page: Page) => page.evaluate(() => document.getElementsByTagName('*').length)

/** The heap of scripts after garbage collection. */
async function usedHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** Scrolls down until this is there; returns the largest number of elements on the way. */
async function scrollUntil(page: Page, isThere: () => Promise<boolean>): Promise<number> {
  let most = 0
  while (!(await isThere())) {
    await page.evaluate(() => window.scrollBy(0, 12_000))
    await page.waitForTimeout(60)
    most = Math.max(most, await countNodes(page))
  }
  return most
}

describe.each([
  ['one root with all of them', { roots: 1, jobsPerRoot: 2_000 }],
  ['a hundred roots', { roots: 100, jobsPerRoot: 20 }],
])('2,000 pictures: %s', (_, size) => {
  test('use few elements and little memory, at the start, at the end and back at the start', async () => {
    const service = await startService()
    const { projectId, rootIds } = await hangMany(service, { ...size, now: service.now })
    const place = size.roots === 1 ? `/roots/${rootIds[0]}` : ''
    const { page, complaints } = await visit(`${service.url}/projects/${projectId}${place}`)
    await page.locator('.preview.loaded').first().waitFor()
    // Printed, not checked: `npm run bench -- gallery` measures it.
    const first = await page.evaluate(() => performance.now())
    process.stdout.write(
      `${size.roots} × ${size.jobsPerRoot} pictures: the first within ${Math.round(first)} ms\n`,
    )
    const before = await usedHeap(page)
    const most = await scrollUntil(page, async () =>
      size.roots === 1
        ? (await page.locator('.card strong').last().innerText()) === 'Page 1999'
        : (await page.locator('.row').last().getAttribute('aria-posinset')) === `${size.roots}`,
    )
    await page.evaluate(() => window.scrollTo(0, 0))
    await page.locator('.preview.loaded').first().waitFor()
    expect(most).toBeLessThan(3_000)
    expect(await countNodes(page)).toBeLessThan(3_000)
    // The data of pictures is kept, some 2 KB each, so that going back is instant. Nothing else is.
    expect(((await usedHeap(page)) - before) / 2_000).toBeLessThan(4_500)
    expect(complaints).toEqual([])
  })
})
