// @module-tag browser

import { expect, test } from 'vitest'
import type { RootStatus } from '../../src/contract/status.ts'
import { startHung } from '../support/gallery/hang.ts'
import { hangCaptured } from '../support/gallery/hang-captured.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { FAILURE } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'

const visit = useVisitors()
const PHONE = { width: 390, height: 844 }
const SECRETS = ['token-1', 'someone-2', 'password-3']

async function start() {
  const service = await startService({ CAPTURE_CONCURRENCY: '0' })
  return Object.assign(service, { projectId: await makeProject(service.store) })
}

test('a request with many options is sent as entered; going back restores the form without its secrets', async () => {
  const service = await start()
  const { url, projectId, now } = service
  const rootId = await hangCaptured(service, projectId, { created: now, pages: [{ name: 'Home' }] })
  const { page, complaints } = await visit(`${url}/projects/${projectId}`)
  let asked: unknown
  await page.route('**/api/projects/*', async (route) => {
    if (route.request().method() !== 'POST') return await route.continue()
    asked = route.request().postDataJSON()
    await route.fulfill({ status: 202, json: { jobId: rootId } })
  })
  await page.getByRole('link', { name: 'New screenshots' }).click()
  const addresses = 'site.example/a Our prices, https://b.example/'
  await page.getByLabel('Addresses, one per line').fill(addresses)
  await page.getByRole('checkbox', { name: /Phone/ }).check()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByLabel('Wait for').fill('#app')
  await page.getByLabel('Wait before the picture').fill('500')
  await page.getByRole('button', { name: 'Add a click' }).click()
  await page.keyboard.type('#menu')
  await page.getByLabel('Colours').selectOption('dark')
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.keyboard.type('Authorization')
  await page.getByRole('group', { name: 'Headers' }).getByLabel('Value').fill('token-1')
  await page.getByLabel('Field of the user name').fill('#user')
  await page.getByLabel('User name', { exact: true }).fill('someone-2')
  await page.getByLabel('Field of the password').fill('#password')
  await page.getByLabel('Password', { exact: true }).fill('password-3')
  await page.getByLabel('Button').fill('#login')
  await page.getByRole('radio', { name: 'Upper half' }).check()
  await page.getByRole('radio', { name: 'Dark window' }).check()
  await page.getByRole('button', { name: 'Add: Shadow' }).click()
  await page.getByRole('button', { name: 'Add: Resize' }).click()
  await page.getByRole('button', { name: '2. Resize: earlier' }).click()
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.waitForURL(/\/roots\//)
  expect(asked).toEqual({
    screenshotParameter: {
      sizes: [{ width: 1280, height: 800 }, PHONE],
      colorScheme: 'dark',
      waitFor: '#app',
      delay: 500,
      clicks: [{ elementId: '#menu' }],
      headers: { Authorization: 'token-1' },
      loginParameter: {
        username: { elementId: '#user', username: 'someone-2' },
        password: { elementId: '#password', password: 'password-3' },
        loginButton: { elementId: '#login' },
      },
      area: 'upperhalf',
      style: 'macos-simple-dark',
      effects: [
        { effect: 'resize', options: { width: 800 } },
        { effect: 'shadow', options: {} },
      ],
    },
    urls: [
      { url: 'https://site.example/a', name: 'Our prices' },
      { url: 'https://b.example/', name: 'b.example' },
    ],
  })
  // The form closes after the view has changed, a moment after the URL.
  await page.getByLabel('Addresses, one per line').waitFor({ state: 'detached' })
  await page.goBack()
  const isKept = async () => {
    await page.getByText('are not kept. Type them again.').waitFor()
    expect(await page.getByLabel('Addresses, one per line').inputValue()).toBe(addresses)
    expect(await page.getByLabel('Wait for').inputValue()).toBe('#app')
    expect(await page.getByRole('group', { name: 'Headers' }).getByLabel('Name').inputValue()).toBe(
      'Authorization',
    )
    expect(await page.getByRole('group', { name: 'Headers' }).getByLabel('Value').inputValue()).toBe('')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
  }
  await isKept()
  await page.reload()
  await isKept()
  const stored = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage, history.state]))
  expect(stored).toContain('#app')
  for (const secret of SECRETS) expect(stored).not.toContain(secret)
  // The tab begins with nothing.
  await page.getByRole('link', { name: 'Screenshots', exact: true }).click()
  await page.getByRole('link', { name: 'New screenshots' }).click()
  expect(await page.getByLabel('Addresses, one per line').inputValue()).toBe('')
  expect(complaints).toEqual([])
})

test('wrong values behind "More" are reported at their field, which is opened', async () => {
  const { url, projectId } = await start()
  const { page } = await visit(`${url}/projects/${projectId}/capture`)
  await page.getByLabel('Addresses, one per line').fill('https://a.example/')
  await page.getByRole('checkbox', { name: /Desktop/ }).uncheck()
  const more = page.getByRole('button', { name: 'More' })
  await more.click()
  await page.getByLabel('Longest time for a page').fill('soon')
  await more.click()
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByText('Choose a size, or a device.').waitFor()
  expect(await page.locator('#loadingTime-mistakes').innerText()).toMatch(/^The time must be a whole number/)
  expect(await page.getByLabel('Longest time for a page').getAttribute('aria-invalid')).toBe('true')
  expect([await more.getAttribute('aria-expanded'), await more.innerText()]).toEqual([
    'true',
    'More · 1 option set',
  ])
  await page.getByLabel('Device').selectOption('iPhone 15')
  await page.getByText('default: that of iPhone 15').waitFor()
  await page.getByLabel('Device').selectOption('')
  expect(await page.getByRole('checkbox', { name: /Desktop/ }).isChecked()).toBe(true)
})

test('all pages of a request, or only the failed ones, are captured again with one click', async () => {
  const service = await start()
  const { url, projectId, now } = service
  const rootId = await hangCaptured(service, projectId, {
    ...{ created: now, width: 1280, height: 800, fullPage: true, tags: ['release'] },
    pages: [
      { name: 'Home' },
      { name: 'Home', ownOptions: PHONE },
      { name: 'Lost', failed: FAILURE },
      { name: 'Lost', failed: FAILURE, ownOptions: PHONE },
    ],
  })
  const { page, complaints } = await visit(`${url}/projects/${projectId}/roots/${rootId}`)
  const lost = page.getByRole('region', { name: 'Failures' }).locator('strong')
  await expect.poll(() => lost.allInnerTexts()).toEqual(['Lost Desktop', 'Lost Phone'])
  const ask = async (name: string): Promise<RootStatus> => {
    const before = page.url()
    await page.getByRole('button', { name }).click()
    await page.waitForURL((address) => address.href !== before)
    await page.getByText('pages captured').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)
    return (await (
      await service.get(`/api/projects/${projectId}/screenshots/root/${id}/status`)
    ).json()) as RootStatus
  }
  const asked = ({ options, urls }: RootStatus) => [
    options,
    urls.map(({ name, url, options: own }) => [name, url, own]),
  ]
  const all = (await (
    await service.get(`/api/projects/${projectId}/screenshots/root/${rootId}/status`)
  ).json()) as RootStatus
  expect(asked(await ask('Capture again'))).toEqual(asked(all))
  await page.goBack()
  expect(asked(await ask('Try the failed ones again'))).toEqual(asked({ ...all, urls: all.urls.slice(2) }))
  // An unfinished root cannot be repeated.
  expect(await page.getByRole('button', { name: 'Capture again' }).count()).toBe(0)
  expect(complaints).toEqual([])
})

test('repeating a request with secrets opens the form, and sends nothing', async () => {
  const service = await start()
  const { url, projectId, now } = service
  const rootId = await hangCaptured(service, projectId, {
    ...{ created: now, width: 1280, height: 800 },
    options: { headers: { authorization: '' }, waitFor: '#app' },
    pages: [
      { name: 'Home', url: 'https://site.example/' },
      { name: 'Home', url: 'https://site.example/', ownOptions: PHONE },
    ],
  })
  const { page } = await visit(`${url}/projects/${projectId}/roots/${rootId}`)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url())
  })
  await page.getByRole('button', { name: 'Capture again' }).click()
  await page.getByText('are not kept. Type them again.').waitFor()
  expect(await page.getByLabel('Addresses, one per line').inputValue()).toBe('https://site.example/ Home')
  expect(await page.getByRole('checkbox', { name: /Phone/ }).isChecked()).toBe(true)
  expect(await page.getByLabel('Wait for').inputValue()).toBe('#app')
  const headers = page.getByRole('group', { name: 'Headers' })
  expect(await headers.getByLabel('Name').inputValue()).toBe('authorization')
  await headers.getByLabel('Value').fill('token-1')
  expect(sent).toEqual([])
})

test('a root shows its options, the size of each picture, and the steps that failed', async () => {
  const service = await start()
  const { url, projectId, now } = service
  const notes = [{ note: 'click' as const, detail: 'No element matches #menu.' }]
  const rootId = await hangCaptured(service, projectId, {
    ...{ created: now, width: 1280, height: 800 },
    options: { colorScheme: 'dark', clicks: [{ elementId: '#menu' }], effects: [{ effect: 'shadow' }] },
    pages: [
      { name: 'Home', seen: { notes } },
      { name: 'Home', ownOptions: PHONE },
      { name: 'Odd', ownOptions: { width: 500, height: 300, waitFor: '#app' } },
    ],
  })
  const { page, complaints } = await visit(`${url}/projects/${projectId}/roots/${rootId}`)
  await expect
    .poll(() =>
      page.getByRole('list', { name: 'Options of the request' }).getByRole('listitem').allInnerTexts(),
    )
    .toEqual([
      'Windows 1280 × 800, 390 × 844 and 500 × 300',
      ...['dark colours', 'clicked #menu', 'shadow', 'some pages with their own options'],
    ])
  expect(await page.locator('.card .soft').allInnerTexts()).toEqual([
    ...['Desktop · 1280 × 800', 'Phone · 390 × 844', 'Window · 500 × 300'],
  ])
  expect(
    await page
      .getByRole('link', { name: /^Open / })
      .evaluateAll((links) => links.map((link) => link.textContent)),
  ).toEqual([
    'Open Home, Desktopnot clicked: No element matches #menu. ',
    'Open Home, Phone',
    'Open Odd, Window',
  ])
  expect(await page.getByRole('region', { name: 'Notes' }).innerText()).toMatch(
    /^1 page: a step did not work.*Home\s+No element matches #menu\.$/s,
  )
  await page.locator('.open').first().click()
  await expect
    .poll(() => page.locator('.pswp__caption').innerText())
    .toMatch(/Window 1280 × 800 · dark colours · clicked #menu · shadow\s+No element matches #menu\.$/)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect
    .poll(() => page.locator('.pswp__caption').innerText())
    .toMatch(/Window 500 × 300 · dark colours · clicked #menu · waited for #app · shadow$/)
  expect(complaints).toEqual([])
})

test('two roots of one day have different titles', async () => {
  const service = await start()
  const { url, projectId, now } = service
  const pages = [{ name: 'Home' }]
  for (const created of [now, now + 1_000]) await hangCaptured(service, projectId, { created, pages })
  const { page } = await visit(`${url}/projects/${projectId}`)
  const links = page.locator('.root h2 a')
  await expect.poll(() => links.count()).toBe(2)
  const titles: string[] = []
  for (const index of [0, 1]) {
    await links.nth(index).click()
    await page.getByRole('heading', { level: 1, name: '1 March 2026' }).waitFor()
    titles.push(await page.title(), await page.getByRole('heading', { level: 1 }).innerText())
    await page.goBack()
    await expect.poll(() => links.count()).toBe(2)
    titles.push((await links.nth(index).getAttribute('aria-label')) ?? '')
  }
  expect(titles).toEqual([
    ...['1 March 2026 at 06:00:01 · proofsheet', '1 March 2026 at 06:00:01', '1 March 2026 at 06:00:01'],
    ...['1 March 2026 at 06:00:00 · proofsheet', '1 March 2026 at 06:00:00', '1 March 2026 at 06:00:00'],
  ])
})

test('the card of a project shows the number of all its pictures', async () => {
  const service = await startHung()
  await makeProject(service.store)
  const { page } = await visit(service.url)
  await expect
    .poll(() => page.locator('.project-card .soft').allInnerTexts())
    .toEqual(expect.arrayContaining(['28 February 2026 · 12 pictures', 'nothing captured yet']))
})
