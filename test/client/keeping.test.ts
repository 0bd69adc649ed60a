import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { openReceiver } from '../support/http/receiver.ts'
import { newRequest, startAccepting } from '../support/http/requests.ts'
import { startDelivering, webhookTo } from '../support/http/webhooks.ts'

// Templates, schedules, webhooks, projects and keys, with every call of the client. Their answers are tested in `test/http/`.

const OUTDATED = { code: 'precondition_failed' }

test('templates and schedules are created, read, changed by their version, run and removed', async () => {
  const { url, projectId } = await startAccepting()
  const client = createClient({ server: url })
  const template = { name: 'Nightly', ...newRequest() }
  const { templateId } = await client.createTemplate(projectId, template)
  const { version, ...read } = await client.getTemplate(projectId, templateId)
  expect(await Array.fromAsync(client.listTemplates(projectId))).toEqual([[read]])
  const renamed = await client.changeTemplate(
    projectId,
    templateId,
    { ...template, name: 'Daily' },
    { version },
  )
  expect(renamed.name).toBe('Daily')
  await expect(client.removeTemplate(projectId, templateId, { version })).rejects.toMatchObject(OUTDATED)
  const { jobId } = await client.runTemplate(projectId, templateId, {
    scheduleDescription: { value: 1, unit: 'h' },
  })
  expect(await client.getStatus(projectId, jobId)).toMatchObject({ state: 'scheduled', templateId })
  await client.cancelRoot(projectId, jobId)
  expect((await client.getStatus(projectId, jobId)).state).toBe('cancelled')
  const made = await Array.fromAsync(client.listRoots(projectId, { template: templateId }))
  expect(made.flat().map(({ rootId }) => rootId)).toEqual([jobId])

  const nightly = { name: 'Nightly', templateId, cron: '0 2 * * *', timezone: 'Europe/Berlin' }
  const { scheduleId, next } = await client.createSchedule(projectId, nightly)
  const { cron, timezone } = nightly
  expect(await client.previewSchedule(projectId, { cron, timezone })).toEqual({ next })
  const schedule = await client.getSchedule(projectId, scheduleId)
  const paused = { ...nightly, paused: true }
  const changed = await client.changeSchedule(projectId, scheduleId, paused, { version: schedule.version })
  expect(changed).toMatchObject({ paused: true, next: [] })
  expect(await Array.fromAsync(client.listSchedules(projectId))).toEqual([[changed]])
  const run = await client.runSchedule(projectId, scheduleId)
  expect((await client.getStatus(projectId, run.jobId)).schedule).toMatchObject({ scheduleId })
  await client.removeSchedule(projectId, scheduleId)
  await client.removeTemplate(projectId, templateId)
  await expect(client.getTemplate(projectId, templateId)).rejects.toMatchObject({ code: 'not_found' })
})

test('webhooks are created, tested, replayed, given another secret, changed and removed', async () => {
  const { client, projectId } = await startDelivering()
  const receiver = await openReceiver()
  onTestFinished(receiver.close)
  const { webhookId, secret = '' } = await client.createWebhook(projectId, webhookTo(receiver.url))
  const { deliveryId } = await client.testWebhook(projectId, webhookId)
  await receiver.waitFor(1)
  const { secret: newer = '' } = await client.rotateSecret(projectId, webhookId)
  const listed = async () =>
    (await Array.fromAsync(client.listDeliveries(projectId, webhookId, { state: 'delivered' }))).flat()
  await expect.poll(listed).toMatchObject([{ deliveryId, event: 'webhook.test' }])
  await client.replayDelivery(projectId, webhookId, deliveryId)
  await receiver.waitFor(2)
  await expect.poll(listed).toHaveLength(1)
  expect(await client.replayDeliveries(projectId, webhookId, 0)).toEqual({ deliveries: 1 })
  await receiver.waitFor(3)
  for (const [index, { body, headers }] of receiver.received.entries())
    expect(new Webhook(index === 0 ? secret : newer).verify(body, headers)).toMatchObject({
      type: 'webhook.test',
    })

  const { version, ...read } = await client.getWebhook(projectId, webhookId)
  expect(read).not.toHaveProperty('secret')
  const paused = webhookTo(receiver.url, { paused: true })
  await client.changeWebhook(projectId, webhookId, paused, { version })
  await expect(client.removeWebhook(projectId, webhookId, { version })).rejects.toMatchObject(OUTDATED)
  const [list] = await Array.fromAsync(client.listWebhooks(projectId))
  expect(list).toMatchObject([{ webhookId, paused: true }])
  await client.removeWebhook(projectId, webhookId)
  expect(await Array.fromAsync(client.listWebhooks(projectId))).toEqual([[]])
})

test('projects and keys are created, changed and removed', async () => {
  const { url } = await startAccepting()
  const client = createClient({ server: url })
  const { projectId } = await client.createProject({ name: 'One' })
  expect(await client.renameProject(projectId, 'Two')).toMatchObject({ projectId, name: 'Two' })
  const { key, ...made } = await client.createKey({ scope: 'read', projectId, label: 'CI' })
  expect(key).toMatch(/^psk_/)
  expect(await Array.fromAsync(client.listKeys({ project: projectId }))).toEqual([[made]])
  await client.revokeKey(made.keyId)
  const [[revoked] = []] = await Array.fromAsync(client.listKeys({ project: projectId }))
  expect(revoked?.revoked).toBeTypeOf('number')
  expect(await client.getSession()).toEqual({ auth: 'open', keys: [], isAdmin: true })
  await client.removeProject(projectId)
  await expect(client.getProject(projectId)).rejects.toMatchObject({ code: 'not_found' })
})
