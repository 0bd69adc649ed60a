// @module-tag browser

import { expect, test } from 'vitest'
import { findOtherAddress, shortMark } from '../../gallery/src/marks.ts'
import { MARKS } from '../../src/contract/seen.ts'
import { hangCaptured } from '../support/gallery/hang-captured.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { FAILURE, newRequest, newSeen, PICTURE } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'

const visit = useVisitors()

const ACCEPTING = { CAPTURE_CONCURRENCY: '0' }
const ODD = [
  { name: 'Lost', seen: { status: 404, marks: ['error', 'incomplete'] as const, failedResources: 2 } },
  { name: 'Long', seen: { marks: ['cut', 'wide'] as const } },
  {
    name: 'Account',
    seen: { url: 'https://login.example/sign-in', title: 'Please sign in', marks: ['restless'] as const },
  },
  { name: 'Plain' },
].map(({ name, seen }) => ({ name, seen: { ...seen, marks: [...(seen?.marks ?? [])] } }))

test('a mark is shown as a word or a number', () => {
  const seen = newSeen({ status: 503, failedResources: 12 })
  expect(shortMark('error', seen)).toBe('503')
  expect(shortMark('incomplete', seen)).toBe('12 missing')
  expect(shortMark('incomplete', newSeen())).toBe('incomplete')
  expect((['cut', 'wide', 'restless'] as const).map((mark) => shortMark(mark, seen))).toEqual([
    ...['cut', 'wider', 'moving'],
  ])
})

test.each([
  ['https://site.example', 'https://site.example/', undefined],
  ['HTTPS://Site.example/a', 'https://site.example/a', undefined],
  ['https://site.example/a', 'https://site.example/b', 'https://site.example/b'],
  ['no address', 'https://site.example/b', 'https://site.example/b'],
  ['https://site.example/a', '', undefined],
])('for %s that ended at %s, the other URL is %s', (asked, url, other) => {
  expect(findOtherAddress(asked, newSeen({ url }))).toBe(other)
  expect(findOtherAddress(asked, undefined)).toBeUndefined()
})

test('marks of a page are shown on its picture, counted in its root, and explained', async () => {
  const service = await startService(ACCEPTING)
  const projectId = await makeProject(service.store)
  const rootId = await hangCaptured(service, projectId, { created: service.now, pages: ODD })
  const at = `${service.url}/projects/${projectId}`
  const { page, complaints } = await visit(at)
  const marksOf = (place: string) =>
    page
      .locator(`${place} .marks`)
      .evaluateAll((all) =>
        all.map((each) => [...each.children].map((mark) => mark.firstChild?.textContent).join(', ')),
      )
  await page.locator('.root').waitFor()
  expect(await marksOf('.root')).toEqual(['1 error, 1 cut, 1 wider, 1 moving, 1 incomplete'])

  await page.goto(`${at}/roots/${rootId}`)
  await expect.poll(() => page.locator('.card').count()).toBe(4)
  await expect.poll(() => marksOf('.card')).toEqual(['404, 2 missing', 'cut, wider', 'moving'])
  expect(await marksOf('.heading')).toEqual(['1 error, 1 cut, 1 wider, 1 moving, 1 incomplete'])
  await page.getByText('Window 600 × 400').waitFor()
  // Tooltips and screen readers say more.
  const cut = page.locator('.card .cut')
  expect(await cut.getAttribute('title')).toBe(MARKS.cut)
  await page.getByRole('link', { name: `Open Long cut : ${MARKS.cut}. wider : ${MARKS.wide}` }).waitFor()
  const account = page.locator('.card').nth(2)
  expect(await account.innerText()).toMatch(/site\.example\/account\s+600 × 400 → login\.example\/sign-in/)
  expect(await account.locator('strong').getAttribute('title')).toBe('Account: “Please sign in”')

  await page.getByRole('link', { name: 'Open Account' }).click()
  const caption = page.locator('.pswp__caption')
  await expect
    .poll(() => caption.innerText())
    .toMatch(
      /^Account\s+Please sign in\s+site\.example\/account\s+→ login\.example\/sign-in\s+600 × 400.*moving/s,
    )
  expect(await caption.getByRole('link', { name: 'login' }).getAttribute('href')).toBe(
    'https://login.example/sign-in',
  )
  expect(await marksOf('.pswp')).toEqual(['moving'])
  expect(await caption.locator('.restless').getAttribute('title')).toBe(MARKS.restless)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => caption.innerText()).toMatch(/^Plain\s+site\.example\/plain\s+600 × 400[^→]*$/)
  expect(await marksOf('.pswp')).toEqual([''])

  await page.goto(`${at}/pages`)
  await page.locator('.card').first().waitFor()
  expect((await marksOf('.card')).sort()).toEqual(['404, 2 missing', 'cut, wider', 'moving'])
  await page.goto(`${at}/pages/history?url=https://site.example/lost`)
  await page.locator('.timeline li').waitFor()
  expect(await marksOf('.timeline')).toEqual(['404, 2 missing'])
  expect(complaints).toEqual([])
})

test('marks of the last of many pages are shown', async () => {
  const service = await startService(ACCEPTING)
  const projectId = await makeProject(service.store)
  const pages = Array.from({ length: 14 }, (_, index) => ({ name: `Page${index}` }))
  const last = { name: 'Last', seen: { marks: ['cut' as const], title: 'The end' } }
  const rootId = await hangCaptured(service, projectId, { created: service.now, pages: [...pages, last] })
  const { page, complaints } = await visit(`${service.url}/projects/${projectId}/roots/${rootId}`)
  await page.getByRole('link', { name: 'Open Last cut' }).click()
  await expect.poll(() => page.locator('.pswp__caption').innerText()).toMatch(/^Last\s+The end.*cut/s)
  expect(complaints).toEqual([])
})

test('marks of a page that is captured meanwhile are shown', async () => {
  const service = await startService(ACCEPTING)
  const projectId = await makeProject(service.store)
  const { captures } = service.store
  const request = newRequest(projectId, { created: service.now })
  await captures.accept(request)
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${request.rootId}`)
  await page.locator('.card.waits').waitFor()
  const task = await captures.takeNext({ now: service.now, leaseMs: 60_000 })
  if (task) await captures.finish(task, { ...PICTURE, seen: newSeen({ marks: ['cut'] }) }, service.now)
  await page.locator('.card .cut').waitFor()
  await page.locator('.heading').getByText('1 cut').waitFor()
})

test('failed pages are in the row of their root with name and reason, and the row keeps its height', async () => {
  const service = await startService(ACCEPTING)
  const projectId = await makeProject(service.store)
  const gone = { reason: 'status', detail: 'site.example answered with the status 410.' } as const
  const failing = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `Gone${index}`, failed: FAILURE }))
  const requests = [
    [{ name: 'Good' }, { name: 'Better' }, { name: 'Gone', failed: FAILURE }],
    [{ name: 'Old', failed: gone }],
    failing(14),
    [...failing(5), ...ODD],
  ]
  for (const [index, pages] of requests.entries()) {
    const tags = Array.from({ length: 9 }, (_, tag) => `tag number ${tag}`)
    await hangCaptured(service, projectId, { created: service.now - index, pages, tags })
  }
  const { page, complaints } = await visit(`${service.url}/projects/${projectId}`)
  const rows = page.locator('.root')
  await expect.poll(() => rows.count()).toBe(4)
  const failures = (row: number) => rows.nth(row).locator('.failed-pages li').allInnerTexts()
  expect(await rows.nth(0).innerText()).toMatch(/06:00 · 2 pictures, 1 failed\s+partly failed/)
  expect(await failures(0)).toEqual([expect.stringMatching(/^Gone\s+its host name was not found$/)])
  expect(await rows.nth(0).locator('img').count()).toBe(2)
  expect(await rows.nth(1).innerText()).toMatch(/0 pictures, 1 failed\s+failed/)
  expect(await failures(1)).toEqual([
    expect.stringMatching(/^Old\s+site\.example answered with the status 410\.$/),
  ])
  // An overview knows the first twelve.
  expect(await failures(2)).toHaveLength(12)
  expect((await failures(2)).at(-1)).toBe('and 3 more')
  // Beside pictures there is less room.
  expect(await failures(3)).toEqual(
    [/^Gone0/, /^Gone1/, /^and 3 more$/].map((words) => expect.stringMatching(words)),
  )
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const beyond = await rows.evaluateAll((all) =>
      all.flatMap((row) =>
        [...row.querySelectorAll('.facts, .strip, .failed-pages li')]
          .filter((part) => part.getBoundingClientRect().bottom > row.getBoundingClientRect().bottom)
          .map((part) => part.className),
      ),
    )
    expect([width, beyond]).toEqual([width, []])
  }
  await rows.nth(2).click()
  await page.getByRole('heading', { name: '14 pages could not be captured' }).waitFor()
  await expect.poll(() => page.locator('.failures li').count()).toBe(14)
  expect(complaints).toEqual([])
})
