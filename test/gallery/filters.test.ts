// @module-tag browser

import { afterEach, describe, expect, test } from 'vitest'
import { NO_FILTERS, readFilters, startOf, toOptions } from '../../gallery/src/filters.ts'
import { DAY_MS, startHung } from '../support/gallery/hang.ts'
import { hangCaptured } from '../support/gallery/hang-captured.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { FAILURE } from '../support/store/captures.ts'

const visit = useVisitors()

describe('the URL of a list', () => {
  const { TZ } = process.env
  afterEach(() => {
    process.env['TZ'] = TZ ?? ''
  })

  test('holds the filters; invalid values are ignored', () => {
    const read = (query: string) => readFilters(new URLSearchParams(query))
    expect(read('')).toEqual(NO_FILTERS)
    expect(read('q=a&tag=b&state=failed&state=done&mark=cut&from=2026-03-01&to=2026-03-02')).toEqual({
      ...{ q: 'a', tag: 'b', template: '', state: ['done', 'failed'], mark: 'cut' },
      ...{ from: '2026-03-01', to: '2026-03-02' },
    })
    expect(read('state=lost&mark=odd&from=yesterday&to=2026-02-30')).toEqual(NO_FILTERS)
    expect(read('from=0002-01-01&to=2026-13-01')).toEqual(NO_FILTERS)
    expect(toOptions(NO_FILTERS)).toEqual({})
  })

  test.each(['UTC', 'America/New_York', 'Pacific/Auckland'])('holds calendar days in %s', (zone) => {
    process.env['TZ'] = zone
    const { from = 0, to = 0 } = toOptions({ ...NO_FILTERS, from: '2026-03-08', to: '2026-03-08' })
    for (const instant of [from, to]) expect(new Date(instant).getHours()).toBe(0)
    expect([new Date(from).getDate(), new Date(to).getDate()]).toEqual([8, 9])
    // One of these days has 23 hours.
    expect(to - from).toBe(zone === 'America/New_York' ? 23 * 3_600_000 : DAY_MS)
    expect(new Date(startOf('2026-12-31', 1) ?? 0).getFullYear()).toBe(2027)
  })
})

/** Three imported roots on three days, and three more on the next day: one with an error, one partial, one failed. */
async function startFiltered() {
  const service = await startHung()
  const { projectId, now: created } = service
  const odd = { status: 404, marks: ['error'] } as const
  const roots = [
    [{ name: 'Lost', seen: { ...odd, marks: ['error' as const] } }],
    [{ name: 'Good' }, { name: 'Gone', failed: FAILURE }],
    [{ name: 'Gone', failed: FAILURE }],
  ]
  for (const [index, pages] of roots.entries()) {
    await hangCaptured(service, projectId, { created: created + index, pages, tags: ['ours'] })
  }
  return Object.assign(service, { at: `${service.url}/projects/${projectId}` })
}

test('a list is filtered by state, mark and day; the URL holds the filters, and going back restores them', async () => {
  const { at } = await startFiltered()
  const { page, complaints } = await visit(at)
  const rows = page.locator('.root')
  const query = () => new URL(page.url()).search
  await expect.poll(() => rows.count()).toBe(6)
  const button = page.getByRole('button', { name: 'Filter' })
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await button.click()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await page.getByRole('checkbox', { name: 'partly failed' }).check()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('checkbox', { name: 'failed', exact: true }).check()
  await expect.poll(() => rows.count()).toBe(2)
  expect(query()).toBe('?state=partial&state=failed')
  await page.goBack()
  await expect.poll(() => rows.count()).toBe(1)
  expect(await page.getByRole('checkbox', { name: 'failed', exact: true }).isChecked()).toBe(false)
  await page.getByRole('link', { name: 'Remove the filter state partly failed' }).click()
  await expect.poll(() => rows.count()).toBe(6)
  expect(query()).toBe('')
  // The button is gone, but the focus is not lost.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Filter')

  await page.getByRole('radio', { name: 'an error' }).check()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByText('its server answered with an HTTP status of 400 or more').last().waitFor()
  await page.getByRole('radio', { name: 'cut' }).check()
  await page.getByText('No screenshots match').waitFor()
  await page.getByRole('link', { name: 'Show everything' }).click()
  await expect.poll(() => rows.count()).toBe(6)

  await page.getByLabel('From', { exact: true }).fill('2026-02-27')
  await expect.poll(() => rows.count()).toBe(5)
  await page.getByLabel('To', { exact: true }).fill('2026-02-28')
  await expect.poll(() => rows.count()).toBe(2)
  expect(query()).toBe('?from=2026-02-27&to=2026-02-28')
  await page.reload()
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByRole('link', { name: 'Remove the filter days from 27 Feb 2026' }).click()
  await expect.poll(() => rows.count()).toBe(3)
  expect(query()).toBe('?to=2026-02-28')
  expect(complaints).toEqual([])
})

test('filters, a search and a tag work together, by link and by keyboard alone', async () => {
  const { at } = await startFiltered()
  const { page, complaints } = await visit(`${at}?tag=ours&q=go&state=partial&state=failed&from=2026-03-01`)
  const rows = page.locator('.root')
  await expect.poll(() => rows.count()).toBe(2)
  expect(await page.locator('.tools .tag').allInnerTexts()).toEqual([
    'ours',
    'partly failed',
    'failed',
    'from 1 Mar 2026',
  ])
  await page.getByRole('searchbox').fill('good')
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?q=good&tag=ours&state=partial&state=failed&from=2026-03-01')
  const { keyboard } = page
  await page.getByRole('searchbox').press('Tab')
  await keyboard.press('Enter')
  const box = page.getByRole('checkbox', { name: 'partly failed' })
  for (let presses = 0; presses < 12; presses++) {
    if (await box.evaluate((element) => element === document.activeElement)) break
    await keyboard.press('Tab')
  }
  await keyboard.press('Space')
  await page.getByText('No screenshots match').waitFor()
  expect(await box.isChecked()).toBe(false)
  expect(complaints).toEqual([])
})

test('typing a year sends no requests', async () => {
  const { at } = await startFiltered()
  const { page } = await visit(at)
  await page.getByRole('button', { name: 'Filter' }).click()
  const asked: string[] = []
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url())
    if (searchParams.has('from')) asked.push(searchParams.get('from') ?? '')
  })
  await page.getByLabel('From', { exact: true }).focus()
  await page.keyboard.type('02272026')
  await expect.poll(() => page.locator('.root').count()).toBe(5)
  expect(new Set(asked)).toEqual(new Set([`${Date.UTC(2026, 1, 27)}`]))
})

test('on a phone, everything fits the screen', async () => {
  const { at } = await startFiltered()
  const query = 'state=partial&state=failed&state=done&mark=error&from=2026-02-27&to=2026-03-02'
  const { page } = await visit(`${at}?${query}`, { width: 390, height: 844, touch: true })
  await page.getByRole('button', { name: 'Filter' }).tap()
  await page.getByLabel('To', { exact: true }).waitFor()
  const beyond = () =>
    page
      .locator('.tools *:not(.unseen)')
      .evaluateAll(
        (elements) => elements.filter((element) => element.getBoundingClientRect().right > 391).length,
      )
  expect(await beyond()).toBe(0)
  await page.getByRole('checkbox', { name: 'capturing' }).tap()
  await expect.poll(() => new URL(page.url()).searchParams.getAll('state')).toContain('running')
})
