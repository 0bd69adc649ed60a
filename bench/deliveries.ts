import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { paths, pathTo } from '../src/contract/paths.ts'
import { finishRoot } from '../test/support/store/webhooks.ts'
import { spawnNode } from './processes.ts'
import type { Received } from './receiver.ts'
import { median } from './statistics.ts'
import { keep } from './unfair/children.ts'
import { enginesOf, withEngine } from './unfair/engine.ts'
import { startService } from './unfair/service.ts'
import { openTree, type Tree } from './unfair/tree.ts'
import type { World } from './unfair/world.ts'

const HEAD = '| what | engine | a second | connections | against a plain loop |\n|---|---|---|---|---|\n'
/** Requests of the plain loop that are under way. */
const AT_ONCE = 12

/**
 * How fast a backlog drains to one healthy receiver: each root has two deliveries, in their order. They are replayed, round
 * after round, by this version and by another one in turns, and a plain loop sends as much from this process.
 */
export async function measureDeliveries(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      engine: { type: 'string' },
      roots: { type: 'string', default: '1500' },
      rounds: { type: 'string', default: '3' },
    },
    allowPositionals: true,
  })
  const roots = Number(values.roots)
  const [other] = positionals
  const trees: [string, Tree][] = [['this version', await openTree()]]
  if (other !== undefined) trees.push(['the other', await openTree(other)])
  process.stdout.write(HEAD)
  for (const engine of enginesOf(values.engine)) {
    await withEngine(engine, async (newWorld) => {
      const receiver = await startReceiver()
      const backlogs: Backlog[] = []
      for (const [name, tree] of trees)
        backlogs.push({ name, ...(await seed(await newWorld(tree), tree, { roots, receiver })), rounds: [] })
      const plain: number[] = []
      for (let round = 0; round < Number(values.rounds); round++) {
        plain.push(await sendPlainly(receiver, roots * 2))
        for (const backlog of backlogs) backlog.rounds.push(await drain(backlog, receiver, roots * 2))
      }
      for (const { name, rounds, stop } of backlogs) {
        await stop()
        const rate = median(rounds.map((each) => each.perSecond))
        const connections = median(rounds.map((each) => each.connections))
        const share = `${(rate / median(plain)).toFixed(2)} × ${Math.round(median(plain))}`
        process.stdout.write(`| ${[name, engine, Math.round(rate), connections, share].join(' | ')} |\n`)
      }
      receiver.stop()
    })
  }
}

export type RunningReceiver = Awaited<ReturnType<typeof startReceiver>>

export async function startReceiver() {
  const child = keep(spawnNode('receiver.ts', []))
  let url = ''
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    url = /ready at (http:\S+)/.exec(line)?.[1] ?? ''
    break
  }
  return {
    url,
    async ask(order: 'tell' | 'anew'): Promise<Received> {
      child.send(order)
      const [received] = await once(child, 'message')
      return received as Received
    },
    stop: () => void child.kill('SIGKILL'),
  }
}

interface Round {
  readonly perSecond: number
  readonly connections: number
}

interface Backlog extends Awaited<ReturnType<typeof seed>> {
  readonly name: string
  readonly rounds: Round[]
}

/** A service, a webhook, and what it has been told once. */
async function seed(
  world: World,
  tree: Tree,
  { roots, receiver }: { roots: number; receiver: RunningReceiver },
) {
  const { projectId, write } = world.victim
  const env = { ...world.env, WEBHOOK_ALLOW: '127.0.0.1', CAPTURE_CONCURRENCY: '0' }
  const service = await startService(tree, env)
  const post = async (path: string, body: object) => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${write}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const hook = { name: 'bench', url: `${receiver.url}/hook`, events: ['screenshot.done', 'root.finished'] }
  const { webhookId = '' } = await post(pathTo(paths.webhooks, projectId), hook)
  for (let root = 0; root < roots; root++)
    await finishRoot(world.storage.store, projectId, { now: Date.now() - 60_000 })
  await untilReceived(receiver, roots * 2)
  const replay = () => post(pathTo(paths.replayDeliveries, projectId, webhookId), { from: 0 })
  return { replay, stop: () => service.end() }
}

async function untilReceived(receiver: RunningReceiver, count: number): Promise<Received> {
  for (;;) {
    const received = await receiver.ask('tell')
    if (received.count >= count) return received
    await sleep(50)
  }
}

async function drain({ replay }: Backlog, receiver: RunningReceiver, count: number): Promise<Round> {
  // The last of the round before are being written.
  await sleep(1_000)
  await receiver.ask('anew')
  await replay()
  const { ms, connections } = await untilReceived(receiver, count)
  return { perSecond: (count / ms) * 1_000, connections }
}

async function sendPlainly(receiver: RunningReceiver, count: number): Promise<number> {
  await receiver.ask('anew')
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const body = JSON.stringify({ type: 'root.finished', data: 'x'.repeat(400) })
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const asked = request(`${receiver.url}/hook`, {
        ...{ method: 'POST', agent },
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      })
      asked.once('error', reject).once('response', (answer) => answer.resume().once('end', resolve))
      asked.end(body)
    })
  let left = count
  const work = async () => {
    while (left-- > 0) await send()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  agent.destroy()
  const { ms } = await untilReceived(receiver, count)
  return (count / ms) * 1_000
}
