// @module-tag browser

import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHung } from '../support/gallery/hang.ts'
import { hangTemplate } from '../support/gallery/hang-template.ts'
import { useVisitors } from '../support/gallery/visitor.ts'

const visit = useVisitors()
const HOUR_MS = 3_600_000

async function startSchedules() {
  const service = await startHung()
  const { url, projectId } = service
  // Distances are counted by the clock of the browser.
  service.now = Date.now()
  const client = createClient({ server: url })
  const all = async () => {
    for await (const page of client.listSchedules(projectId)) return page
    return []
  }
  return { service, projectId, client, all, at: `${url}/projects/${projectId}` }
}

const isExpected = (text: string) => text.includes('400 (Bad Request)')

test('a schedule is created, shows its next times, is paused, changed and removed', async () => {
  const { service, projectId, all, at } = await startSchedules()
  const templateId = await hangTemplate(service, projectId)
  const { page, complaints } = await visit(`${at}/schedules`)
  await page.getByRole('link', { name: 'Create a schedule' }).click()
  await expect.poll(() => page.locator('.times li').count()).toBe(5)

  await page.getByLabel('Cron expression').fill('61 2 * * *')
  await page.getByText('The expression must be a cron expression').waitFor()
  expect(await page.locator('.times li').count()).toBe(0)
  await page.getByRole('button', { name: 'on weekdays at 9' }).click()
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await expect.poll(() => page.locator('.times li').first().textContent()).toMatch(/0[78]:00 \(09:00 there\)/)
  await page.getByRole('button', { name: 'Save the schedule' }).click()
  await page.getByText('The name must be a string').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('scheduleName')
  await page.getByLabel('Name').fill('Mornings')
  await page.getByRole('button', { name: 'Save the schedule' }).click()
  await page.getByRole('heading', { name: 'Mornings' }).waitFor()
  const [made] = await all()
  expect(made).toMatchObject({ templateId, cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin' })
  expect(await page.locator('.schedule .times li').count()).toBe(5)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect(await all()).toMatchObject([{ name: 'Mornings', paused: true, templateId }])
  await page.getByRole('link', { name: 'Screenshots', exact: true }).click()
  await page.locator('.next-runs').getByText('paused').waitFor()

  await page.locator('.next-runs').getByRole('link', { name: 'Mornings' }).click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('At an interval').check()
  await page.getByLabel('Every').fill('6h')
  await page.getByLabel('Its own pages').check()
  await page.getByLabel('Addresses').fill('nowhere.example, ftp://files.example')
  await page.getByRole('button', { name: 'Save the schedule' }).click()
  await page.getByText('Line 1 must').waitFor()
  await page.getByLabel('Addresses').fill('site.example Home')
  await page.getByRole('button', { name: 'Save the schedule' }).click()
  await page.getByText('every 6 hours').waitFor()
  const [changed] = await all()
  expect(changed?.request?.urls).toEqual([{ url: 'https://site.example', name: 'Home' }])
  expect(changed).not.toHaveProperty('templateId')

  await page.getByRole('button', { name: 'Remove' }).click()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Remove')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('There are no schedules yet').waitFor()
  expect(await all()).toEqual([])
  expect(complaints.filter((text) => !isExpected(text))).toEqual([])
})

test('a scheduled root says when it begins, and can be cancelled', async () => {
  const { projectId, client, at } = await startSchedules()
  const { page, complaints } = await visit(`${at}/capture`)
  await page.getByLabel('Addresses').fill('site.example Home')
  const later = new Date(Date.now() + 30 * HOUR_MS)
  await page.getByLabel('When').fill(later.toISOString().slice(0, 16))
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByText('It begins in 1 day').waitFor()
  await page.getByRole('link', { name: 'Screenshots', exact: true }).click()
  const row = page.locator('.root').first()
  await row.getByText('It begins in 1 day').waitFor()
  expect(await row.locator('.state').textContent()).toBe('scheduled')
  await row.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it')
  await row.getByRole('button', { name: 'Cancel it' }).click()
  await row.getByText('It was scheduled for').waitFor()
  for await (const [root] of client.listOverviews(projectId, { limit: 1 })) {
    expect(root?.state).toBe('cancelled')
    break
  }
  expect(complaints).toEqual([])
})
