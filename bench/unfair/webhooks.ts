import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { paths, pathTo } from '../../src/contract/paths.ts'
import { asAdmin } from '../../test/support/servers/postgres.ts'
import { finishRoot } from '../../test/support/store/webhooks.ts'
import { type Attack, attackWith, ERRAND_S, type Setup } from './attack.ts'
import { toGet, toPost } from './requests.ts'
import type { Party, World } from './world.ts'

const WEBHOOKS = 20
/** Deliveries of the victim that the errand waits for, one after the other. */
const ERRANDS = 20
/** Tests of one client have a distance of 20 ms, which is not what is measured here. */
const DISTANCE_MS = 40
/** Roots of a hundred pages: 3,030 deliveries. */
const ROOTS = 30
const PAGES = 100

const ALL = ['screenshot.done', 'screenshot.failed', 'root.finished']

/** Takes deliveries in this process: it answers at once, and never at `/hang`. */
let receiver: Promise<{ url: string; server: Server }> | undefined
let arrived: () => void = () => {}

function receive(): NonNullable<typeof receiver> {
  receiver ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      request.resume()
      if (request.url === '/hang') return
      request.once('end', () => {
        response.writeHead(204).end()
        if (request.url === '/victim') arrived()
      })
    })
    server.listen(0, '127.0.0.1', () => {
      server.unref()
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server })
    })
  })
  return receiver
}

async function ask({ service }: Setup, { write }: Party, method: string, path: string, body?: object) {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${write}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return (text === '' ? {} : JSON.parse(text)) as { webhookId?: string; pending?: number }
}

async function makeWebhook(setup: Setup, party: Party, path: string): Promise<string> {
  const { url } = await receive()
  const body = { name: 'bench', url: url + path, events: ALL }
  const { webhookId = '' } = await ask(setup, party, 'POST', pathTo(paths.webhooks, party.projectId), body)
  return webhookId
}

const known = new Map<string, Promise<string>>()

/** Made once for a world. */
function webhookOf(setup: Setup, party: Party, path: string): Promise<string> {
  const name = `${party.projectId} ${path}`
  const made = known.get(name) ?? makeWebhook(setup, party, path)
  known.set(name, made)
  return made
}

/** How long it takes until the victim was told of something, again and again. */
const errand: Attack['errand'] = async (setup) => {
  const { victim } = setup.world
  const webhookId = await webhookOf(setup, victim, '/victim')
  let seconds = 0
  for (let each = 0; each < ERRANDS && seconds < ERRAND_S; each++) {
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const began = performance.now()
    await ask(setup, victim, 'POST', pathTo(paths.testWebhook, victim.projectId, webhookId))
    await Promise.race([isThere, sleep((ERRAND_S - seconds) * 1_000)])
    seconds += (performance.now() - began) / 1_000
    await sleep(DISTANCE_MS)
  }
  return seconds
}

const seeded = new Map<World, Promise<string>>()

/** A webhook of the attacker that was told of much. */
function withDeliveries(setup: Setup): Promise<string> {
  const { attacker, env, storage } = setup.world
  const seed = async () => {
    const webhookId = await webhookOf(setup, attacker, '/hook')
    const pages = Array.from({ length: PAGES }, () => true)
    for (let root = 0; root < ROOTS; root++)
      await finishRoot(storage.store, attacker.projectId, { pages, now: Date.now() })
    const path = pathTo(paths.webhook, attacker.projectId, webhookId)
    await sleep(3_000)
    while ((await ask(setup, attacker, 'GET', path)).pending !== 0) await sleep(200)
    // As autovacuum does within a minute: without it, the server does not know that these are many.
    if (env['DATABASE_URL']) await asAdmin(env['DATABASE_URL'], 'analyze')
    return webhookId
  }
  const made = seeded.get(setup.world) ?? seed()
  seeded.set(setup.world, made)
  return made
}

const deliveries = (id: string, what: string, start: Attack['start']): Attack => ({
  ...{ id, what, start, errand, ownWorld: true },
  errandIs: { what: `${ERRANDS} deliveries of the victim`, most: 3 },
  env: { WEBHOOK_ALLOW: '127.0.0.1', CAPTURE_CONCURRENCY: '0' },
})

const loop = (setup: Setup, requests: readonly string[], connections: number) =>
  attackWith({ url: setup.service.url, connections, requests, manner: 'loop' })

/** Rows 20: webhooks. */
export const webhooks: readonly Attack[] = [
  deliveries('27a', 'test deliveries, 10 at a time', async (setup) => {
    const { attacker } = setup.world
    const webhookId = await webhookOf(setup, attacker, '/hook')
    const url = setup.service.url + pathTo(paths.testWebhook, attacker.projectId, webhookId)
    return await loop(setup, [toPost(url, attacker.write, '{}')], 10)
  }),
  deliveries('27b', `replays of ${ROOTS * (PAGES + 1)} deliveries, 4 at a time`, async (setup) => {
    const { attacker } = setup.world
    const webhookId = await withDeliveries(setup)
    const url = setup.service.url + pathTo(paths.replayDeliveries, attacker.projectId, webhookId)
    return await loop(setup, [toPost(url, attacker.write, '{"from":0}')], 4)
  }),
  deliveries('27c', `${WEBHOOKS} webhooks that hang, made and removed in a loop`, async (setup) => {
    const { attacker } = setup.world
    let isOver = false
    const made: Record<string, number> = { made: 0, removed: 0 }
    const again = async () => {
      while (!isOver) {
        const ids: string[] = []
        for (let each = 0; each < WEBHOOKS - 1; each++) {
          const webhookId = await makeWebhook(setup, attacker, '/hang')
          await ask(setup, attacker, 'POST', pathTo(paths.testWebhook, attacker.projectId, webhookId))
          ids.push(webhookId)
        }
        made['made'] = (made['made'] ?? 0) + ids.length
        await sleep(1_000)
        for (const webhookId of ids)
          await ask(setup, attacker, 'DELETE', pathTo(paths.webhook, attacker.projectId, webhookId))
        made['removed'] = (made['removed'] ?? 0) + ids.length
      }
    }
    const working = again().catch(() => {})
    return {
      tell: async () => made,
      async stop() {
        isOver = true
        await working
      },
    }
  }),
  deliveries('27d', 'lists of webhooks and of their deliveries, 10 at a time', async (setup) => {
    const { attacker } = setup.world
    const webhookId = await withDeliveries(setup)
    const list = setup.service.url + pathTo(paths.deliveries, attacker.projectId, webhookId)
    const all = setup.service.url + pathTo(paths.webhooks, attacker.projectId)
    return await loop(
      setup,
      [list, `${list}?state=failed`, all].map((url) => toGet(url, attacker.write)),
      10,
    )
  }),
]
