import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Webhook as Verifier } from 'standardwebhooks'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createWebhooks } from '../../src/service/notifications.ts'
import { openStorage } from '../../src/service/storage.ts'
import type { WebhookKey } from '../../src/store/webhooks.ts'
import type { Webhooks } from '../../src/webhooks/webhooks.ts'
import { type Answer, openReceiver } from '../support/http/receiver.ts'
import { webhookTo } from '../support/http/webhooks.ts'
import { type RunningProcess, start } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { newRequest } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'

/** Sets the clock of a process by a file. */
const CLOCK = new URL('../../faults/clock-file.ts', import.meta.url)
const PROGRAM = fileURLToPath(new URL('deliver-process.ts', import.meta.url))
const PAGES = 3
/** One event for each page, and one for the finished root. */
export const EVENTS_OF_A_ROOT = PAGES + 1

const QUIET_MS = 500
const MOST_QUIET = 120

export interface Ordeal {
  /** The environment that names the database. */
  readonly place: Record<string, string>
  readonly processes: number
  readonly roots: number
  /** At most this many kills of a process. */
  readonly kills: number
  /** A process is killed after it has sent something, and up to this many milliseconds more. */
  readonly killWithin: number
  /** The number of 410 answers of the receiver in all. */
  readonly gone: number
  /** With each kill, the clock of the processes jumps ahead by one of these milliseconds. It is right at the end. */
  readonly jumps?: readonly number[]
}

export interface Account {
  readonly kills: number
  readonly events: number
  /** Events that were never answered with 2xx. */
  readonly lost: readonly string[]
  /** Requests whose signature did not verify. */
  readonly forged: number
  /** Events that were answered with 2xx more than once. */
  readonly twice: number
  /** How often the receiver misbehaved, by its behaviour. */
  readonly faults: Readonly<Record<string, number>>
}

/** Delivers the events of many roots to a receiver that misbehaves, from processes that are killed all the time. */
export async function passOrdeal(ordeal: Ordeal): Promise<Account> {
  const { place, processes, roots, killWithin, gone, jumps = [] } = ordeal
  const clockFile = join(await makeFolder(), 'clock')
  const setClock = (ahead: number) => writeFile(clockFile, String(ahead))
  const faults: Record<string, number> = {}
  const accepted = new Map<string, number>()
  let secret = ''
  let forged = 0
  const behave = misbehave(faults, gone)
  const receiver = await openReceiver((to, one, request) => {
    try {
      new Verifier(secret).verify(one.body, one.headers)
    } catch {
      forged++
    }
    behave(to, one, request)
    const name = nameOf(one.body)
    to.once('finish', () => {
      if (to.statusCode < 300) accepted.set(name, (accepted.get(name) ?? 0) + 1)
    })
  })
  const env = {
    ...{ ...place, WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}` },
    ...(jumps.length > 0 && { CLOCK_FILE: clockFile, NODE_OPTIONS: `--import=${CLOCK}` }),
  }
  const config = readConfig(env, { serving: false })
  const storage = await openStorage(config)
  onTestFinished(async () => {
    await receiver.close()
    await storage.close()
  })
  const { store } = storage
  const webhooks = createWebhooks(config, storage, { clock: () => Date.now() })
  const projectId = await makeProject(store)
  const webhook = await webhooks.create(projectId, webhookTo(receiver.url))
  secret = webhook.secret ?? ''
  const key = { projectId, webhookId: webhook.webhookId }

  const expected: string[] = []
  const acceptAll = async () => {
    for (let root = 0; root < roots; root++) {
      const request = newRequest(projectId, { pages: PAGES, created: Date.now() })
      const rootId = await store.captures.accept(request)
      for (let position = 0; position < PAGES; position++)
        expected.push(`${rootId} ${position % 3 === 2 ? 'failed' : 'done'} ${request.pages[position]?.url}`)
      expected.push(`${rootId} finished`)
      await sleep(5)
    }
  }
  const begin = async (): Promise<RunningProcess> => {
    const running = start(process.execPath, [PROGRAM], { env })
    await running.waitFor(/running/)
    return running
  }
  const running = await Promise.all(Array.from({ length: processes }, begin))
  const accepting = acceptAll()
  let kills = 0
  const isOver = async () => {
    await switchOnAgain(webhooks, key, store.webhooks)
    const { pending, off } = (await store.webhooks.find(key)) ?? {}
    return !off && pending === 0 && expected.every((name) => accepted.has(name))
  }
  await accepting
  // A lost event never arrives: the wait ends when nothing has arrived for long.
  for (let quiet = 0; quiet < MOST_QUIET && !(await isOver()); ) {
    const before = receiver.received.length
    // A busy machine starts processes slowly: each gets time to send something.
    await Promise.race([receiver.waitFor(before + 1), sleep(QUIET_MS)])
    quiet = receiver.received.length === before ? quiet + 1 : 0
    if (quiet > 0 || kills === ordeal.kills) continue
    await sleep(Math.random() * killWithin)
    const index = Math.floor(Math.random() * processes)
    const { pid, ended } = running[index] as RunningProcess
    process.kill(pid, 'SIGKILL')
    await ended
    kills++
    await setClock(kills === ordeal.kills ? 0 : (jumps[kills % jumps.length] ?? 0))
    running[index] = await begin()
  }
  await setClock(0)
  for (const { pid, ended } of running) {
    process.kill(pid, 'SIGKILL')
    await ended
  }
  const lost = expected.filter((name) => !accepted.has(name))
  const twice = [...accepted.values()].filter((times) => times > 1).length
  return { kills, events: expected.length, lost, forged, twice, faults }
}

/** After a 410, like an operator: changes the webhook and replays everything since the first undelivered event. */
async function switchOnAgain(
  webhooks: Webhooks,
  key: WebhookKey,
  store: { find(key: WebhookKey): Promise<{ off?: { since: number } | undefined; url: string } | undefined> },
): Promise<void> {
  const { off, url } = (await store.find(key)) ?? {}
  if (!off || !url) return
  const missed: number[] = [off.since]
  for (const state of ['dropped', 'failed', 'pending'] as const) {
    for (let cursor: string | undefined; ; ) {
      const { deliveries, nextCursor } = await webhooks.listDeliveries(key, { limit: 100, state, cursor })
      for (const { created } of deliveries) missed.push(created)
      cursor = nextCursor
      if (!cursor) break
    }
  }
  await webhooks.change(key, webhookTo(url))
  await webhooks.replayFrom(key, Math.min(...missed))
}

/** Two of three requests get a proper answer. */
function misbehave(faults: Record<string, number>, gone: number): Answer {
  const count = (name: string) => {
    faults[name] = (faults[name] ?? 0) + 1
  }
  let requests = 0
  return (to, _received, request) => {
    requests++
    if (requests % 20 === 0 && (faults['410'] ?? 0) < gone) {
      count('410')
      return void to.writeHead(410).end()
    }
    const roll = Math.random()
    if (roll > 0.33) return void to.writeHead(204).end()
    if (roll > 0.22) {
      count('500')
      to.writeHead(500).end('no')
    } else if (roll > 0.15) {
      count('reset')
      request.socket.resetAndDestroy()
    } else if (roll > 0.08) {
      count('302')
      to.writeHead(302, { location: '/elsewhere' }).end()
    } else if (roll > 0.02) {
      count('slow')
      setTimeout(() => to.writeHead(200).end('late'), 300)
    } else count('hangs')
  }
}

/** The event in a body. */
function nameOf(body: string): string {
  const told = JSON.parse(body)
  if (told.type === undefined) return `${told.rootId} done ${told.url.url}`
  const { rootId, url } = told.data
  return told.type === 'root.finished' ? `${rootId} finished` : `${rootId} failed ${url}`
}
