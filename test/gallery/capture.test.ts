// @module-tag browser

import { expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { newRequest } from '../support/store/captures.ts'
import { makeKey, makeProject } from '../support/store/results.ts'

const visit = useVisitors()

test('the form requests captures, shows mistakes at the fields, and shows the progress', async () => {
  const held: (() => void)[] = []
  const site = await servePages((path, response) => {
    if (path === '/slow') held.push(() => response.end(COLOURED))
    else response.end(COLOURED)
  })
  const service = await startService({ ...BROWSER_ENV, CAPTURE_ALLOW: `127.0.0.1:${site.port}` })
  service.now = Date.now()
  const projectId = await makeProject(service.store)
  const { page, complaints } = await visit(service.url)
  await page.getByRole('link', { name: 'Capture some pages' }).click()
  await page.getByLabel('Addresses, one per line').fill(`${site.url}/a\n\nftp://nothing.example/\nhttp://`)
  await page.getByRole('checkbox', { name: /Desktop/ }).uncheck()
  await page.getByRole('checkbox', { name: /Other/ }).check()
  await page.getByLabel('Width').fill('99999')
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const mistakes = page.getByRole('alert')
  await page.getByText('Line 3 ').waitFor()
  expect((await mistakes.allInnerTexts()).filter((text) => text !== '')).toEqual([
    expect.stringMatching(/^Line 3 .*http.*\nLine 4 /),
    'The width must be a whole number from 1 to 4096',
  ])
  expect(await page.getByLabel('Addresses, one per line').getAttribute('aria-invalid')).toBe('true')

  await page
    .getByLabel('Addresses, one per line')
    .fill(`${site.url}/a\n${site.url}/slow\nhttp://10.0.0.1/private`)
  await page.getByRole('checkbox', { name: /Other/ }).uncheck()
  await page.getByRole('checkbox', { name: /Phone/ }).check()
  await page.getByLabel('Tags').fill('first, try')
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.waitForURL(/\/roots\//)
  // Two are finished, the third waits for its server, and the page was not reloaded.
  await page.getByText('2 of 3 pages captured, 1 of them failed').waitFor()
  await expect.poll(() => page.locator('.preview.loaded').count()).toBe(1)
  expect(await page.locator('.card.waits').count()).toBe(1)
  expect(await page.locator('.state').innerText()).toBe('capturing')
  const failures = page.getByRole('region', { name: 'Failures' })
  expect(await failures.innerText()).toMatch(
    /1 page could not be captured.*10\.0\.0\.1\/private.*captured pages may not reach its address/s,
  )
  for (const finish of held) finish()
  await expect.poll(() => page.locator('.state').innerText()).toBe('partly failed')
  await expect.poll(() => page.locator('.preview.loaded').count()).toBe(2)
  expect(await page.locator('progress').count()).toBe(0)
  expect(await page.locator('.card .soft').allInnerTexts()).toEqual(['390 × 844', '390 × 844'])
  await page.getByRole('link', { name: 'Screenshots', exact: true }).click()
  expect(await page.locator('.root').innerText()).toMatch(
    /2 pictures, 1 failed\s+partly failed\s+2 wider[\s\S]+first\s+try/,
  )
  // The one message is the browser's own for the 400.
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([])
  expect(projectId).toBe(new URL(page.url()).pathname.split('/')[2])
})

test('with a read key, the form says beside the button that it cannot capture', async () => {
  const service = await startService({ AUTH: 'keys', ...BROWSER_ENV })
  const projectId = await makeProject(service.store)
  const { secret } = await makeKey(service.store, projectId, 'read')
  const { page } = await visit(`${service.url}/projects/${projectId}/capture`)
  await page.getByLabel('API key').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByLabel('Addresses, one per line').fill('https://example.com/')
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByText('this key may only read').waitFor()
})

test('without a browser, the form says so at once, and notices when one is installed', async () => {
  const service = await startService()
  const projectId = await makeProject(service.store)
  const detail = 'There is no browser to take pictures with. Install one with: npx proofsheet browser install'
  let capturing: object = { state: 'no_browser', detail }
  const { page, complaints } = await visit('about:blank')
  await page.route('**/readyz', (route) => route.fulfill({ json: { status: 'ok', capturing } }))
  await page.goto(`${service.url}/projects/${projectId}`)
  const notice = page.getByRole('status').filter({ hasText: 'There is no browser' })
  await notice.waitFor()
  await page.getByRole('link', { name: 'New screenshots' }).click()
  expect(await notice.innerText()).toBe(detail)
  expect(await notice.locator('code').innerText()).toBe('npx proofsheet browser install')
  capturing = { state: 'ready', browser: 'headless shell of this machine' }
  await notice.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test('while nothing can be stored, the list and the form say why, and recover', async () => {
  const service = await startService({ CAPTURE_CONCURRENCY: '0' })
  const projectId = await makeProject(service.store)
  const message = 'The file system that holds the pictures is read-only.'
  let isReadOnly = true
  const checkWriting = async () => {
    if (isReadOnly) throw new AppError('read_only', message)
  }
  Object.assign(service.images, { checkWriting })
  const { page } = await visit(`${service.url}/projects/${projectId}`)
  const notice = page.getByRole('status').filter({ hasText: message })
  await notice.waitFor()
  expect(await notice.innerText()).toBe(`${message} Results can still be read.`)
  await page.getByRole('link', { name: 'New screenshots' }).click()
  await notice.waitFor()
  isReadOnly = false
  await notice.waitFor({ state: 'detached' })
})

test('a waiting root says why it waits', async () => {
  const service = await startService({ CAPTURE_CONCURRENCY: '0' })
  const checkWriting = async () => {
    throw new AppError('storage_full', 'The disk that holds the pictures is full.')
  }
  Object.assign(service.images, { checkWriting })
  const projectId = await makeProject(service.store)
  const rootId = await service.store.captures.accept(newRequest(projectId))
  const { page } = await visit(`${service.url}/projects/${projectId}/roots/${rootId}`)
  await page
    .getByText('0 of 1 page captured. It waits: The disk that holds the pictures is full.', { exact: false })
    .waitFor()
})
