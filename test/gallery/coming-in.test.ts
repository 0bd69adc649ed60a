// @module-tag browser

import { expect, test } from 'vitest'
import { hangRoots, startHung } from '../support/gallery/hang.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { startService } from '../support/http/service.ts'
import { makeKey } from '../support/store/results.ts'

const visit = useVisitors()

test('without keys: all projects are shown, each with its newest pictures, and going back returns to them', async () => {
  const service = await startHung()
  await hangRoots(service, { name: 'Another site', now: service.now + 1, roots: 1 })
  const { page, complaints } = await visit(service.url)
  const cards = page.locator('.project-card')
  await expect.poll(() => cards.locator('strong').allTextContents()).toEqual(['Our site', 'Another site'])
  await expect.poll(() => cards.nth(1).locator('img').count()).toBe(4)
  await cards.nth(1).click()
  await page.getByRole('list', { name: 'Screenshots, newest first' }).waitFor()
  expect(
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link').first().textContent(),
  ).toBe('Another site')
  await page.goBack()
  await expect.poll(() => cards.count()).toBe(2)
  expect(complaints).toEqual([])
})

test('without keys: the only project opens at once, and going back leaves the gallery', async () => {
  const { url, projectId } = await startHung()
  const { page, complaints } = await visit(url)
  await page.waitForURL(`${url}/projects/${projectId}`)
  await page.getByRole('link', { name: 'Pages' }).click()
  await page.goBack()
  await page.waitForURL(`${url}/projects/${projectId}`)
  await page.goBack()
  expect(page.url()).toBe('about:blank')
  expect(complaints).toEqual([])
})

test('without keys: a service without projects explains how to create one', async () => {
  const { url } = await startService()
  const { page, complaints } = await visit(url)
  await page.getByText('npx proofsheet project create').waitFor()
  expect(complaints).toEqual([])
})

test('keys: the key is typed once, kept for this tab only, and sent in a header, never in a URL', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store, service.projectId)
  const { page, complaints } = await visit(service.url)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const field = page.getByLabel('API key')
  await field.fill(secret)
  await page.getByRole('button', { name: 'Open the gallery' }).click()
  await page.getByRole('list', { name: 'Screenshots, newest first' }).waitFor()
  await expect.poll(() => page.locator('.preview.loaded').count()).toBeGreaterThan(3)
  expect(asked.length).toBeGreaterThan(5)
  expect(asked.filter((address) => address.includes(secret))).toEqual([])
  expect(page.url()).toBe(`${service.url}/projects/${service.projectId}`)
  // A reload keeps it, another tab has none, and nothing outlives the tab.
  await page.reload()
  await page.getByRole('list', { name: 'Screenshots, newest first' }).waitFor()
  const kept = await page.evaluate(() => [localStorage.length, document.cookie])
  expect(kept).toEqual([0, ''])
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByLabel('API key').waitFor()
  // And it can be left.
  await page.getByRole('link', { name: 'Signed in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  expect(complaints).toEqual([])
  expect(service.logLines.filter((line) => line.includes(secret))).toEqual([])
})

test('keys: a session is shared by all tabs, holds several keys, opens the documentation, and ends by signing out', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const other = await hangRoots(service, { name: 'Another site', now: service.now + 1, roots: 1 })
  const { secret } = await makeKey(service.store, service.projectId)
  const { secret: second } = await makeKey(service.store, other.projectId, 'write')
  const { page, complaints } = await visit(`${service.url}/docs`)
  expect(page.url()).toBe(`${service.url}/sign-in?to=docs`)
  await page.getByLabel('API key').fill(secret)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${service.url}/docs`)

  await page.goto(`${service.url}/sign-in`)
  await page.getByRole('heading', { name: 'Add another key' }).waitFor()
  await page.getByLabel('API key').fill(second)
  await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect
    .poll(() => page.locator('.key-row strong').allTextContents())
    .toEqual(['Our site', 'Another site'])
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  expect(cookie?.expires).toBeGreaterThan(Date.now() / 1_000)
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
    0,
    0,
    '',
  ])

  const tab = await page.context().newPage()
  await tab.goto(service.url)
  await expect.poll(() => tab.locator('.project-card').count()).toBe(2)
  await tab.goto(`${service.url}/projects/${other.projectId}/capture`)
  await tab.getByLabel('Addresses').fill('site.example')
  await tab.getByRole('button', { name: 'Capture', exact: true }).click()
  await tab.locator('.progress').waitFor()

  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await expect.poll(() => page.locator('.key-row strong').allTextContents()).toEqual(['Another site'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await tab.goto(service.url)
  await tab.getByRole('heading', { name: 'Enter your key' }).waitFor()
  expect(await page.context().cookies()).toEqual([])
  expect(complaints).toEqual([])
})

test('keys: an invalid key is refused with a message and not kept', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { page } = await visit(`${service.url}/projects/${service.projectId}`)
  await page.getByRole('button', { name: 'Open the gallery' }).click()
  await page.getByText('Paste an API key').waitFor()
  await page.getByLabel('API key').fill('psk_wrong')
  await page.keyboard.press('Enter')
  await page.getByText('this key is not valid').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('keys: a revoked key leads back to the form', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { secret, keyId } = await makeKey(service.store, service.projectId)
  const { page } = await visit(service.url)
  await page.getByLabel('API key').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Screenshots, newest first' }).waitFor()
  await service.store.revokeKey(keyId, 1)
  await page.getByRole('link', { name: 'Pages' }).click()
  await page.getByRole('button', { name: 'Enter another key' }).click()
  await page.getByLabel('API key').waitFor()
})
