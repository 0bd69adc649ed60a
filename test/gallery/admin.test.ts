// @module-tag browser

import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHung } from '../support/gallery/hang.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { makeKey } from '../support/store/results.ts'

const visit = useVisitors()

async function projectsOf(server: string, key: string): Promise<string[]> {
  const names: string[] = []
  for await (const page of createClient({ server, key }).listProjects())
    names.push(...page.map(({ name }) => name))
  return names
}

test('with an admin key, a project is created, renamed and removed, and a key is created and revoked', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { url } = service
  const admin = await makeKey(service.store)
  // Projects are sorted by time.
  service.now += 1_000
  const { page, complaints } = await visit(`${url}/admin`)
  await page.getByLabel('API key').fill(admin.secret)
  await page.keyboard.press('Enter')
  const form = page.getByRole('button', { name: 'Create the project' })
  await form.click()
  await page.getByText('The name must be').waitFor()
  await page.getByLabel('New project').fill('Shop')
  await form.click()
  const shop = page.locator('.key-row').filter({ hasText: 'Shop' })
  await shop.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('New name').fill('Our shop')
  await page.keyboard.press('Enter')
  await shop.getByRole('link', { name: 'Our shop' }).waitFor()
  expect(await projectsOf(url, admin.secret)).toEqual(['Our site', 'Our shop'])

  await page.getByLabel('New key for').selectOption('Our shop')
  await page.getByLabel('Access').selectOption('may read and capture')
  await page.getByLabel('Label').fill('build server')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const secret = await page.locator('.once code').innerText()
  expect(await projectsOf(url, secret)).toEqual(['Our shop'])
  await page.getByRole('button', { name: 'I have saved it' }).click()
  expect(await page.content()).not.toContain(secret)
  const made = page.locator('.key-row').filter({ hasText: 'build server' })
  await made.getByRole('button', { name: 'Revoke' }).click()
  await made.getByRole('button', { name: 'Revoke it' }).click()
  await made.getByText('revoked').waitFor()
  await expect(projectsOf(url, secret)).rejects.toMatchObject({ status: 401 })

  await shop.getByRole('button', { name: 'Remove' }).click()
  const yes = shop.getByRole('button', { name: 'Remove it for good' })
  expect(await yes.getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.type('Our shop')
  await yes.click()
  await expect.poll(() => projectsOf(url, admin.secret)).toEqual(['Our site'])
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([])
})

test('with another key, the page says which key opens it', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store, service.projectId, 'write')
  const { page, complaints } = await visit(`${service.url}/admin`)
  await page.getByLabel('API key').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByText('npx proofsheet key create --admin').waitFor()
  expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
  expect(complaints).toEqual([])
})
