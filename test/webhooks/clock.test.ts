import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Delivery } from '../../src/contract/webhooks.ts'
import { openStorage } from '../../src/service/storage.ts'
import { type Answer, openReceiver } from '../support/http/receiver.ts'
import { webhookTo } from '../support/http/webhooks.ts'
import { serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { makeProject } from '../support/store/results.ts'

// The real service, in processes whose clock is set by a file. On PostgreSQL the clock of the database counts.

const HOUR_MS = 3_600_000

async function open(answer: Answer) {
  const receiver = await openReceiver(answer)
  onTestFinished(() => receiver.close())
  const folder = await makeFolder()
  const clockFile = join(folder, 'clock')
  const setClock = (ahead: number) => writeFile(clockFile, String(ahead))
  await setClock(0)
  const env = {
    DATA_DIR: join(folder, 'data'),
    WEBHOOK_ALLOW: '127.0.0.1',
    CAPTURE_CONCURRENCY: '0',
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import=${new URL('../../faults/clock-file.ts', import.meta.url)}`,
  }
  const storage = await openStorage(readConfig(env, { serving: false }))
  const projectId = await makeProject(storage.store)
  await storage.close()
  const start = async () => {
    const service = await serveProcess(env)
    const client = createClient({ server: service.url })
    const kill = async () => {
      process.kill(service.pid, 'SIGKILL')
      await service.ended
    }
    return { client, kill }
  }
  return { receiver, setClock, projectId, start }
}

type Client = ReturnType<typeof createClient>

async function listAll(client: Client, projectId: string, webhookId: string): Promise<Delivery[]> {
  const all: Delivery[] = []
  for await (const page of client.listDeliveries(projectId, webhookId)) all.push(...page)
  return all
}

async function leastAttempts(client: Client, projectId: string, webhookId: string): Promise<number> {
  return Math.min(...(await listAll(client, projectId, webhookId)).map(({ attempts }) => attempts))
}

describe('a clock that jumps', () => {
  test('eight days ahead and back switches no webhook off, and drops nothing', async () => {
    const { receiver, setClock, projectId, start } = await open((to) => void to.writeHead(500).end())
    const { client } = await start()
    const { webhookId } = await client.createWebhook(projectId, webhookTo(receiver.url))
    for (let delivery = 0; delivery < 11; delivery++) await client.testWebhook(projectId, webhookId)
    const attempts = () => leastAttempts(client, projectId, webhookId)
    await expect.poll(attempts).toBeGreaterThanOrEqual(1)
    const jumps = [8 * 24, 0, 400 * 24, 0]
    for (const hours of jumps) {
      const before = await attempts()
      await setClock(hours * HOUR_MS)
      const find = async () => await client.getWebhook(projectId, webhookId)
      await expect
        .poll(async () => (await find()).off !== undefined || (await attempts()) > before)
        .toBe(true)
      const webhook = await find()
      expect(webhook).not.toHaveProperty('off')
      expect(webhook.pending).toBe(11)
    }
  })

  test.each([2, 8 * 24])('%i h ahead, then a kill and a right clock delay nothing', async (hours) => {
    let isWell = false
    const { receiver, setClock, projectId, start } = await open((to) => {
      // The receiver hangs until then.
      if (isWell) to.writeHead(204).end()
    })
    const failing = await openReceiver((to) => void to.writeHead(isWell ? 204 : 500).end())
    onTestFinished(() => failing.close())
    await setClock(hours * HOUR_MS)
    const first = await start()
    const { webhookId } = await first.client.createWebhook(projectId, webhookTo(receiver.url))
    const other = await first.client.createWebhook(projectId, webhookTo(failing.url))
    // One attempt is under way, one delivery has failed and waits, and one was never tried.
    await first.client.testWebhook(projectId, webhookId)
    await receiver.waitFor(1)
    await first.client.testWebhook(projectId, other.webhookId)
    await expect.poll(() => leastAttempts(first.client, projectId, other.webhookId)).toBeGreaterThan(0)
    await first.client.testWebhook(projectId, webhookId)
    await first.kill()
    await setClock(0)
    isWell = true
    const { client } = await start()
    const states = async () =>
      [
        ...(await listAll(client, projectId, webhookId)),
        ...(await listAll(client, projectId, other.webhookId)),
      ].map(({ state }) => state)
    await expect.poll(states).toEqual(['delivered', 'delivered', 'delivered'])
  })
})
