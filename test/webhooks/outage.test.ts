import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/storage.ts'
import { openReceiver } from '../support/http/receiver.ts'
import { startDelivering, webhookTo } from '../support/http/webhooks.ts'
import { KEYS } from '../support/servers/keys.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { finishRoot } from '../support/store/webhooks.ts'

const databases = useDatabases()

test('no delivery is lost if the database fails during an attempt and stays unreachable', async () => {
  let hold = Promise.withResolvers<void>()
  const receiver = await openReceiver(async (to) => {
    await hold.promise
    to.writeHead(200).end()
  })
  onTestFinished(() => receiver.close())
  const direct = await databases.newDatabase()
  const proxy = await startProxy(Number(new URL(direct).port))
  onTestFinished(() => proxy.close())
  const through = new URL(direct)
  through.hostname = '127.0.0.1'
  through.port = String(proxy.port)
  const service = await startDelivering({
    ...{ DATABASE_URL: through.href, DATABASE_WAIT: '2s', DATABASE_TIMEOUT: '3s', ...KEYS },
  })
  const beside = await openStorage(readConfig({ DATABASE_URL: direct, ...KEYS }, { serving: false }))
  onTestFinished(() => beside.close())
  const { client, projectId } = service
  await client.createWebhook(projectId, webhookTo(receiver.url, { events: ['root.finished'] }))
  await finishRoot(beside.store, projectId, { now: Date.now() })
  await receiver.waitFor(1)
  proxy.mode = 'swallow'
  hold.resolve()
  // Meanwhile another process captures.
  await finishRoot(beside.store, projectId, { now: Date.now() })
  await expect.poll(() => service.logLines.join('')).toContain('deliveries cannot be read at the moment')
  await sleep(500)
  hold = Promise.withResolvers()
  hold.resolve()
  proxy.cut()
  proxy.mode = 'pass'
  await receiver.waitFor(2)
  await expect.poll(() => beside.store.deliveries.findBacklog()).toMatchObject({ pending: 0 })
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  const metrics = await (await service.get('/metrics')).text()
  expect(metrics).toContain('proofsheet_deliveries_total{outcome="delivered"} 2')
  expect(metrics).toContain('proofsheet_deliveries_pending 0')
  expect(metrics).toContain('proofsheet_deliveries_oldest_seconds 0')
})
