// @module-tag browser

import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHung } from '../support/gallery/hang.ts'
import { useVisitors } from '../support/gallery/visitor.ts'
import { openReceiver } from '../support/http/receiver.ts'
import { makeKey } from '../support/store/results.ts'

const visit = useVisitors()

test('a webhook is created, shows its secret once, is tested, fails and is removed', async () => {
  const { url, projectId } = await startHung({ WEBHOOK_ALLOW: '127.0.0.1' })
  let status = 200
  const receiver = await openReceiver((answer) => void answer.writeHead(status).end(`answered ${status}`))
  onTestFinished(receiver.close)
  const client = createClient({ server: url })
  const at = `${url}/projects/${projectId}`
  const { page, complaints } = await visit(`${at}/webhooks`)
  await page.getByRole('link', { name: 'Create a webhook' }).click()
  await page.getByLabel('Name').fill('Builds')
  await page.getByLabel('Address').fill('ftp://127.0.0.1/')
  await page.getByRole('button', { name: 'Create the webhook' }).click()
  await page.getByText('The address must be an http or https address').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('webhookUrl')
  await page.getByLabel('Address').fill(receiver.url)
  await page.getByRole('button', { name: 'Create the webhook' }).click()
  const secret = await page.locator('.once code').innerText()
  expect(secret).toMatch(/^whsec_/)
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('once')

  await page.getByRole('link', { name: 'See its deliveries' }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  const delivery = page.locator('.delivery').first()
  await delivery.getByText('delivered').waitFor()
  expect(await delivery.locator('.answer').innerText()).toMatch(/HTTP 200\s+answered 200/)
  expect(await page.content()).not.toContain(secret)

  status = 500
  await delivery.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('failing since').waitFor()
  await page.getByText('answered 500').waitFor()
  await page.getByRole('link', { name: 'Screenshots', exact: true }).click()
  await page.locator('.notice').getByRole('link', { name: 'Builds' }).click()

  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('button', { name: 'Create a new one' }).click()
  await expect.poll(() => page.locator('.once code').innerText()).toMatch(/^whsec_/)
  expect(await page.locator('.once code').innerText()).not.toBe(secret)
  await page.getByRole('button', { name: 'I have saved it' }).click()

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Our builds')
  await page.getByLabel('a page was captured').check()
  await page.getByRole('button', { name: 'Save the webhook' }).click()
  await page.getByRole('heading', { name: 'Our builds' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Edit')
  for await (const [webhook] of client.listWebhooks(projectId)) {
    expect(webhook).toMatchObject({ name: 'Our builds', events: ['screenshot.done', 'root.finished'] })
  }

  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('There are no webhooks yet').waitFor()
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([])
})

test('a key that can only read gets no link to webhooks', async () => {
  const service = await startHung({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store, service.projectId, 'read')
  const { page, complaints } = await visit(service.url)
  await page.getByLabel('API key').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Screenshots, newest first' }).waitFor()
  await page.getByRole('link', { name: 'Schedules' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  expect(complaints).toEqual([])
})
