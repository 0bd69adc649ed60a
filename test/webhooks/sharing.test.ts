import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createWayOut } from '../../src/egress/guard.ts'
import { createSend } from '../../src/webhooks/send.ts'
import { openReceiver } from '../support/http/receiver.ts'
import { startDelivering, webhookTo } from '../support/http/webhooks.ts'
import { bothDatabases } from '../support/servers/databases.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { makeProject } from '../support/store/results.ts'
import { finishRoot } from '../support/store/webhooks.ts'

// Waiting is recognised by order, not by time: hanging receivers time out long after the test is over.

const NEVER_MS = 3_600_000
const databases = useDatabases()

/** Receivers that accept requests and never answer. `released`: the number of closed connections. */
async function openHanging(count: number) {
  const all = { urls: [] as string[], held: 0, released: 0 }
  for (let each = 0; each < count; each++) {
    const receiver = await openReceiver((_to, _one, request) => {
      all.held++
      request.socket.once('close', () => all.released++)
    })
    onTestFinished(() => receiver.close())
    all.urls.push(receiver.url)
  }
  return all
}

async function startPatiently(env: Record<string, string>) {
  const reach = createWayOut({ allow: parseAllowList('127.0.0.1') })
  return await startDelivering(env, { send: createSend({ reach, timeoutMs: NEVER_MS }) })
}

type Service = Awaited<ReturnType<typeof startPatiently>>

/** A webhook for each receiver, each with something to deliver. */
async function makeHanging({ client, store }: Service, projectId: string, urls: readonly string[]) {
  const ids: string[] = []
  for (const url of urls) {
    const { webhookId } = await client.createWebhook(projectId, webhookTo(url))
    await client.testWebhook(projectId, webhookId)
    ids.push(webhookId)
  }
  await finishRoot(store, projectId, { now: Date.now() })
  return ids
}

for (const [engine, newDatabase] of bothDatabases(databases)) {
  describe(engine, () => {
    test('twenty hanging webhooks, created and removed again and again, do not delay another project', async () => {
      const hanging = await openHanging(20)
      const healthy = await openReceiver()
      onTestFinished(() => healthy.close())
      const service = await startPatiently(await newDatabase())
      const { client, store, projectId } = service
      await client.createWebhook(projectId, webhookTo(healthy.url))
      const attacker = await makeProject(store)
      for (let round = 0; round < 3; round++) {
        const ids = await makeHanging(service, attacker, hanging.urls)
        await expect.poll(() => hanging.held).toBeGreaterThan(0)
        // So that everything that can begin does.
        await sleep(300)
        for (const webhookId of ids) await client.removeWebhook(attacker, webhookId)
      }
      await makeHanging(service, attacker, hanging.urls)
      for (let root = 0; root < 5; root++) await finishRoot(store, projectId, { now: Date.now() })
      await healthy.waitFor(10)
      expect(hanging.released).toBe(0)
    })

    test('hanging webhooks of several projects do not delay another one, even if the receiver is new', async () => {
      const hanging = await openHanging(20)
      const healthy = await openReceiver()
      onTestFinished(() => healthy.close())
      const service = await startPatiently(await newDatabase())
      const { client, store, projectId } = service
      for (let project = 0; project < 6; project++)
        await makeHanging(service, await makeProject(store), hanging.urls)
      await expect.poll(() => hanging.held).toBeGreaterThan(0)
      await sleep(300)
      await client.createWebhook(projectId, webhookTo(healthy.url))
      for (let root = 0; root < 5; root++) await finishRoot(store, projectId, { now: Date.now() })
      await healthy.waitFor(10)
      expect(hanging.released).toBe(0)
    })

    test('a hanging webhook does not delay the others of its project', async () => {
      const hanging = await openHanging(5)
      const healthy = await openReceiver()
      onTestFinished(() => healthy.close())
      const service = await startPatiently(await newDatabase())
      const { client, store, projectId } = service
      await client.createWebhook(projectId, webhookTo(healthy.url))
      await finishRoot(store, projectId, { now: Date.now() })
      await healthy.waitFor(2)
      await makeHanging(service, projectId, hanging.urls)
      for (let root = 0; root < 5; root++) await finishRoot(store, projectId, { now: Date.now() })
      await healthy.waitFor(14)
      expect(hanging.released).toBe(0)
    })
  })
}
