import { createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { createWayOut, type Lookup } from '../../src/egress/guard.ts'
import { createSend } from '../../src/webhooks/send.ts'
import { openReceiver } from '../support/http/receiver.ts'
import { startDelivering, webhookTo } from '../support/http/webhooks.ts'
import { makeKey } from '../support/store/results.ts'

// Webhooks must not reach anything that only this machine or its network can reach.

const NO_ANSWER = 'could not be reached: either its name is unknown, or webhooks may not reach it.'

/** Counts connections, on both loopback addresses. */
async function openCanary() {
  let touched = 0
  const listen = (host: string, port: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        touched++
        socket.destroy()
      })
      server.once('error', reject).listen(port, host, () => resolve(server))
    })
  const first = await listen('127.0.0.1', 0)
  const { port } = first.address() as { port: number }
  const second = await listen('::1', port).catch(() => undefined)
  onTestFinished(() => {
    first.close()
    second?.close()
  })
  return { port, touched: () => touched }
}

async function clientWith(
  { url, store, projectId }: Awaited<ReturnType<typeof startDelivering>>,
  scope: 'read' | 'write',
) {
  return createClient({ server: url, key: (await makeKey(store, projectId, scope)).secret })
}

const LITERALS = [
  ...[
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '0.0.0.0',
    '[::]',
    'localhost',
    'a.localhost',
    '2130706433',
    '0x7f.1',
    '127.1',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
  ],
  ...['169.254.169.254', '[fe80::1]', '[fd00::1]', '[fec0::1]', '224.0.0.1', '255.255.255.255', '198.18.0.1'],
]

/** Names with their first and their later answers from DNS. */
const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  'loopback.test': ['127.0.0.1', '127.0.0.1'],
  'loopback6.test': ['::1', '::1'],
  'mapped.test': ['::ffff:127.0.0.1', '::ffff:127.0.0.1'],
  'private.test': ['10.0.0.7', '10.0.0.7'],
  'metadata.test': ['169.254.169.254', '169.254.169.254'],
  // First an unused address (TEST-NET-3 is not public: it is refused), then this machine.
  'rebinding.test': ['203.0.113.5', '127.0.0.1'],
}

test('URLs of private addresses are refused in any spelling', async () => {
  const canary = await openCanary()
  const { client, projectId } = await startDelivering({ WEBHOOK_ALLOW: '' })
  for (const host of LITERALS) {
    const refused = client.createWebhook(projectId, webhookTo(`http://${host}:${canary.port}/`))
    await expect(refused, host).rejects.toMatchObject({
      code: 'bad_request',
      errors: [{ pointer: '#/url', detail: expect.stringContaining('which webhooks may not reach') }],
    })
  }
  for (const url of [
    'ftp://example.com/',
    'http://me:secret@example.com/',
    'https://example.com/#x',
    'file:///etc/passwd',
    'x',
  ])
    await expect(client.createWebhook(projectId, webhookTo(url)), url).rejects.toMatchObject({
      code: 'bad_request',
      errors: [{ pointer: '#/url' }],
    })
  expect(canary.touched()).toBe(0)
})

test('names and redirects to private addresses reach nothing, and the delivery does not reveal what is there', async () => {
  const canary = await openCanary()
  const asked = new Map<string, number>()
  const lookup: Lookup = async (name) => {
    const count = asked.get(name) ?? 0
    asked.set(name, count + 1)
    const address = NAMES[name]?.[Math.min(count, 1)]
    if (address === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return [address]
  }
  const moves = await openReceiver((to) => {
    to.writeHead(307, { location: `http://127.0.0.1:${canary.port}/` }).end()
  })
  onTestFinished(() => moves.close())
  const reach = createWayOut({ allow: parseAllowList(`127.0.0.1:${moves.port}`), lookup })
  const service = await startDelivering(
    // As if the operator had allowed all of them when the webhooks were created.
    {
      WEBHOOK_ALLOW: `127.0.0.1:${canary.port},[::1]:${canary.port},127.0.0.1:${moves.port}`,
      MAX_WEBHOOKS: '50',
      AUTH: 'keys',
    },
    { send: createSend({ reach }), pauses: [20, 20] },
  )
  const { projectId } = service
  const client = await clientWith(service, 'write')
  const urls = [
    ...['127.0.0.1', '[::1]', ...Object.keys(NAMES), 'unknown.test'].flatMap((host) =>
      ['http', 'https'].map((scheme) => `${scheme}://${host}:${canary.port}/`),
    ),
    moves.url,
  ]
  const made = await Promise.all(urls.map((url) => client.createWebhook(projectId, webhookTo(url))))
  for (const { webhookId } of made) await client.testWebhook(projectId, webhookId)
  for (const [index, { webhookId }] of made.entries()) {
    await expect.poll(async () => (await client.getWebhook(projectId, webhookId)).pending).toBe(0)
    const [[delivery] = []] = await Array.fromAsync(client.listDeliveries(projectId, webhookId))
    expect(delivery).toMatchObject({ state: 'failed', attempts: 3 })
    if (urls[index] === moves.url)
      expect(delivery?.last).toMatchObject({ status: 307, problem: expect.stringContaining('not followed') })
    else expect(delivery?.last, urls[index]).toMatchObject({ problem: expect.stringContaining(NO_ANSWER) })
  }
  // Once for each attempt: it connects to the address that was checked.
  expect(asked.get('rebinding.test')).toBe(6)
  expect(service.logLines.some((line) => line.includes('metadata.test leads to'))).toBe(true)
  expect(moves.received).toHaveLength(3)
  expect(canary.touched()).toBe(0)
})

test('a key that can only read cannot see webhooks', async () => {
  const service = await startDelivering({ AUTH: 'keys' })
  const { projectId } = service
  const [writer, reader] = [await clientWith(service, 'write'), await clientWith(service, 'read')]
  const { webhookId } = await writer.createWebhook(projectId, webhookTo('https://example.com/'))
  for (const ask of [
    () => reader.getWebhook(projectId, webhookId),
    () => Array.fromAsync(reader.listWebhooks(projectId)),
    () => Array.fromAsync(reader.listDeliveries(projectId, webhookId)),
    () => reader.createWebhook(projectId, webhookTo('https://example.com/')),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'forbidden' })
  expect(await writer.getWebhook(projectId, webhookId)).not.toHaveProperty('secret')
})
