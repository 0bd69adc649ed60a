import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Running, startService } from '../unfair/service.ts'
import type { Tree } from '../unfair/tree.ts'
import type { World } from '../unfair/world.ts'
import { type Ask, METRICS_TOKEN, OPERATIONS, OTHERS, type Walk } from './operations.ts'
import type { LongestTurn } from './watch-loop.ts'
import { addToldWebhook, fill } from './world.ts'

const WATCH_LOOP = fileURLToPath(new URL('watch-loop.ts', import.meta.url))

/** One of the largest requests of an operation, and the longest turns of the event loop when it was sent, one for each time. */
export interface Hold {
  readonly operation: string
  readonly what: string
  readonly status: number
  readonly turns: readonly LongestTurn[]
}

export interface WalkOptions {
  readonly repeats: number
  /** Names of operations. Default: all of them. */
  readonly only?: readonly string[] | undefined
  readonly onHold?: (hold: Hold) => void
}

/** Sends every operation its largest requests, one at a time, to a service of its own. */
export async function walkOperations(
  tree: Pick<Tree, 'program'>,
  world: World,
  { repeats, only, onHold }: WalkOptions,
): Promise<Hold[]> {
  const largest = await fill(world)
  const receiver = await openReceiver()
  const env = {
    ...world.env,
    CAPTURE_CONCURRENCY: '0',
    METRICS_TOKEN,
    MAX_PAGES_WAITING: '1000000',
    MAX_PAGES_SCHEDULED: '1000000',
    WEBHOOK_ALLOW: new URL(receiver.url).host,
  }
  const service = await startService(tree, env, ['--import', WATCH_LOOP])
  try {
    const setup = { world, service }
    const webhookId = await addToldWebhook(setup, receiver.url)
    const make = async (ask: Ask) => {
      const answer = await send(service, ask)
      requireExpected(ask, answer, `${ask.method} ${ask.path}`)
      return JSON.parse(answer.text)
    }
    const walk: Walk = { ...setup, largest, webhookId, receiver: receiver.url, make }
    await requireEveryOperation(service, largest.party.read)
    const holds: Hold[] = []
    for (const [operation, requests] of all()) {
      if (only && !only.includes(operation)) continue
      for (const [what, makeAsk] of Object.entries(requests)) {
        const turns: LongestTurn[] = []
        let status = 0
        for (let left = repeats; left > 0; left--) {
          const ask = await makeAsk(walk)
          await longestTurn(service)
          const answer = await send(service, ask)
          requireExpected(ask, answer, `${operation}, ${what}`)
          status = answer.status
          turns.push(await longestTurn(service))
        }
        const hold = { operation, what, status, turns }
        onHold?.(hold)
        holds.push(hold)
      }
    }
    return holds
  } finally {
    await service.kill()
    receiver.close()
  }
}

/** A request that is refused says nothing about those that are not. */
function requireExpected(
  { isWrong }: Ask,
  { status, text }: { status: number; text: string },
  what: string,
): void {
  if (isWrong ? status !== 400 : status >= 300) throw new Error(`${what}: ${status} ${text.slice(0, 500)}`)
}

function all() {
  return [
    ...Object.entries(OPERATIONS),
    ...Object.entries(OTHERS).map(([path, ask]) => [path, { '': ask }] as const),
  ]
}

/** Throws if the service has an operation that the table does not know. */
async function requireEveryOperation(service: Running, key: string): Promise<void> {
  const { text } = await send(service, { method: 'GET', path: '/openapi.json', key })
  const missing = operationsIn(JSON.parse(text)).filter((id) => !(id in OPERATIONS))
  if (missing.length > 0) throw new Error(`bench/holds/operations.ts does not have ${missing.join(', ')}`)
}

/** The ids of the operations of an OpenAPI document. */
export function operationsIn({
  paths,
}: {
  paths: Record<string, Record<string, { operationId: string }>>
}): string[] {
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
}

async function longestTurn({ child }: Running): Promise<LongestTurn> {
  const answered = once(child, 'message')
  child.send('longest turn')
  const [longest] = (await answered) as [LongestTurn]
  return longest
}

async function send({ url }: Running, { method, path, key, body, headers, forMs }: Ask) {
  const ended = new AbortController()
  if (forMs !== undefined) setTimeout(() => ended.abort(), forMs)
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    signal: ended.signal,
  })
  const text = await response.text().catch((error) => {
    if (ended.signal.aborted) return ''
    throw error
  })
  return { status: response.status, text }
}

/** A receiver of deliveries that wants none. */
async function openReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) => response.writeHead(503).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
