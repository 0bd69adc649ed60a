import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Delivery } from '../../src/contract/webhooks.ts'
import { type Answer, openReceiver, type Received } from '../support/http/receiver.ts'
import { eventsOf, startDelivering, webhookTo } from '../support/http/webhooks.ts'
import { bothDatabases } from '../support/servers/databases.ts'
import { KEYS } from '../support/servers/keys.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { rootsUrl } from '../support/store/results.ts'
import { finishRoot } from '../support/store/webhooks.ts'

const ok: Answer = (to) => void to.writeHead(200).end('thanks')

async function receive(answer?: Answer) {
  const receiver = await openReceiver(answer)
  onTestFinished(() => receiver.close())
  return receiver
}

type Started = Awaited<ReturnType<typeof startDelivering>>

async function deliveriesOf({ client, projectId }: Started, webhookId: string): Promise<Delivery[]> {
  const all: Delivery[] = []
  for await (const page of client.listDeliveries(projectId, webhookId)) all.push(...page)
  return all
}

const statesOf = (all: readonly Delivery[]) => all.map(({ state }) => state).toSorted()
const verified = (secret: string, { body, headers }: Received) => new Verifier(secret).verify(body, headers)
const finish = (service: Started, pages?: boolean[]) =>
  finishRoot(service.store, service.projectId, { now: Date.now(), ...(pages && { pages }) })

const databases = useDatabases()

for (const [engine, newDatabase] of bothDatabases(databases)) {
  describe(engine, () => {
    test('every event is delivered once, in the order of its root, signed, with the same data as other answers', async () => {
      const receiver = await receive(ok)
      const service = await startDelivering(await newDatabase())
      const { client, projectId } = service
      const { secret = '', webhookId } = await client.createWebhook(projectId, webhookTo(receiver.url))
      const rootId = await finish(service, [true, false])
      await receiver.waitFor(3)
      expect(eventsOf(receiver.received)).toEqual(['screenshot.done', 'screenshot.failed', 'root.finished'])
      const [done, failed, finished] = receiver.received.map((each) => verified(secret, each))
      const { jobs } = (await (await service.get(`${rootsUrl(projectId)}/${rootId}`)).json()) as {
        jobs: object[]
      }
      expect([done]).toEqual(jobs)
      expect(failed).toMatchObject({
        type: 'screenshot.failed',
        data: { projectId, rootId, position: 1, url: 'https://example.com/1', name: 'Page 1', reason: 'dns' },
      })
      expect(finished).toMatchObject({
        type: 'root.finished',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: {
          ...{ projectId, rootId, state: 'partial', tags: [] },
          counts: { total: 2, done: 1, failed: 1, queued: 0, running: 0 },
          link: `${service.url}/projects/${projectId}/roots/${rootId}`,
        },
      })
      for (const { headers } of receiver.received)
        expect(headers).toMatchObject({
          'user-agent': expect.stringMatching(/^proofsheet\//),
          'content-type': 'application/json',
          host: `127.0.0.1:${receiver.port}`,
        })
      await expect
        .poll(async () => statesOf(await deliveriesOf(service, webhookId)))
        .toEqual(['delivered', 'delivered', 'delivered'])
      const [last] = await deliveriesOf(service, webhookId)
      expect(last).toMatchObject({ attempts: 1, last: { status: 200, answer: 'thanks' } })
      expect(receiver.received).toHaveLength(3)
    })

    test('a failed attempt is repeated under the same id, with a new signature, until it succeeds', async () => {
      const answers = [500, 302, 404, 200]
      const canary = await receive(ok)
      const receiver = await receive((to, _received, request) => {
        const status = answers.shift() ?? 200
        if (status === 404) request.socket.destroy()
        else to.writeHead(status, { location: canary.url }).end('x'.repeat(1_000))
      })
      const service = await startDelivering(await newDatabase())
      const { client, projectId } = service
      const hook = webhookTo(receiver.url, { events: ['root.finished'] })
      const { secret = '', webhookId } = await client.createWebhook(projectId, hook)
      await finish(service)
      await receiver.waitFor(4)
      await expect.poll(async () => statesOf(await deliveriesOf(service, webhookId))).toEqual(['delivered'])
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids).size).toBe(1)
      for (const each of receiver.received) verified(secret, each)
      const [delivery] = await deliveriesOf(service, webhookId)
      expect(delivery).toMatchObject({ deliveryId: ids[0], attempts: 4, last: { answer: 'x'.repeat(200) } })
      expect(canary.received).toEqual([])
      expect(await client.getWebhook(projectId, webhookId)).not.toHaveProperty('failingSince')
    })

    test('410 switches a webhook off at once; changing it switches it on; replaying sends the missed events', async () => {
      let status = 410
      const receiver = await receive((to) => void to.writeHead(status).end())
      const service = await startDelivering(await newDatabase())
      const { client, projectId } = service
      const { webhookId } = await client.createWebhook(projectId, webhookTo(receiver.url))
      const began = Date.now()
      await finish(service, [true, true])
      const find = async () => await client.getWebhook(projectId, webhookId)
      await expect.poll(async () => (await find()).off?.reason).toBe('gone')
      await expect.poll(async () => (await find()).pending).toBe(0)
      // Later events did not become deliveries at all.
      const states = statesOf(await deliveriesOf(service, webhookId))
      expect(states.filter((state) => state !== 'dropped')).toEqual(['failed'])
      expect(service.logLines.some((line) => line.includes('a webhook was switched off'))).toBe(true)
      await finish(service)
      status = 200
      await client.changeWebhook(projectId, webhookId, webhookTo(receiver.url))
      expect(await find()).not.toHaveProperty('off')
      expect(receiver.received).toHaveLength(1)
      expect(await client.replayDeliveries(projectId, webhookId, began)).toEqual({ deliveries: 5 })
      await receiver.waitFor(6)
      await expect
        .poll(async () => statesOf(await deliveriesOf(service, webhookId)))
        .toEqual(Array.from({ length: 5 }, () => 'delivered'))
    })

    test('a dead receiver does not delay deliveries to a healthy one', async () => {
      const dead = await receive(() => {})
      const healthy = await receive(ok)
      const service = await startDelivering(await newDatabase())
      const { client, projectId } = service
      for (const { url } of [dead, dead, dead, healthy])
        await client.createWebhook(projectId, webhookTo(url, { events: ['root.finished'] }))
      for (let root = 0; root < 12; root++) await finish(service)
      await healthy.waitFor(12)
      // No attempt at the dead receiver has ended by then: each webhook has at most four at a time.
      expect(dead.received.length).toBeLessThanOrEqual(12)
      await expect.poll(() => service.store.deliveries.findBacklog()).toMatchObject({ pending: 36 })
    })

    test('deliveries of removed roots are dropped, and a webhook that fails for long is switched off', async () => {
      const receiver = await receive((to) => void to.writeHead(500).end())
      const service = await startDelivering(await newDatabase(), { offAfterMs: 0 })
      const { client, projectId } = service
      const hook = await client.createWebhook(projectId, webhookTo(receiver.url, { paused: true }))
      const began = Date.now()
      const rootId = await finish(service)
      await client.changeWebhook(projectId, hook.webhookId, webhookTo(receiver.url))
      for await (const _ of service.store.removals.removeRoot(projectId, rootId, Date.now()));
      expect(await client.replayDeliveries(projectId, hook.webhookId, began)).toEqual({ deliveries: 0 })
      await client.testWebhook(projectId, hook.webhookId)
      const find = async () => await client.getWebhook(projectId, hook.webhookId)
      await expect.poll(async () => (await find()).off?.reason).toBe('failing')
    })

    test('the old secret signs together with the new one', async () => {
      const receiver = await receive(ok)
      const service = await startDelivering(await newDatabase())
      const { client, projectId } = service
      const made = await client.createWebhook(projectId, webhookTo(receiver.url))
      const changed = await client.rotateSecret(projectId, made.webhookId)
      expect(changed.secret).not.toBe(made.secret)
      expect(await client.testWebhook(projectId, made.webhookId)).toMatchObject({ state: 'pending' })
      await receiver.waitFor(1)
      const [test] = receiver.received
      for (const secret of [made.secret, changed.secret])
        expect(verified(secret ?? '', test as Received)).toMatchObject({ type: 'webhook.test' })
      expect(test?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    })
  })
}

test('two instances on PostgreSQL deliver each event once, whoever created it', async () => {
  const receiver = await receive(ok)
  const env = { DATABASE_URL: await databases.newDatabase(), ...KEYS }
  const [one, two] = [await startDelivering(env), await startDelivering(env)]
  const { client, projectId } = one
  for (let hook = 0; hook < 2; hook++) await client.createWebhook(projectId, webhookTo(receiver.url))
  for (let root = 0; root < 10; root++)
    await finishRoot((root % 2 === 0 ? one : two).store, projectId, { now: Date.now() })
  await receiver.waitFor(40)
  await expect.poll(() => one.store.deliveries.findBacklog()).toMatchObject({ pending: 0 })
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40)
  expect(receiver.received).toHaveLength(40)
})
