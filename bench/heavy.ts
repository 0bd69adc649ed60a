import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, isFinal, type RootStatus } from '../src/client/client.ts'
import { CASES, type Case, SITE } from './heavy/cases.ts'
import { watchUsage } from './heavy/usage.ts'
import { median } from './statistics.ts'
import { startService } from './unfair/service.ts'
import { openTree } from './unfair/tree.ts'
import { makeWorld, type Party } from './unfair/world.ts'

// The heaviest requests that are allowed, in the real service. Beside each of them, another key captures plain pages and asks for
// /healthz.

const QUIET_PAGES = 7
const HEALTH_MS = 50
/** Where nothing ends by itself, it ends here. */
const MOST_MS = 15 * 60_000

export async function measureHeavy(given: readonly string[]): Promise<void> {
  const only = given[given.indexOf('--only') + 1]?.split(',').map(Number)
  const chosen = CASES.filter((_, index) => !given.includes('--only') || only?.includes(index))
  const tree = await openTree(given.includes('--tree') ? given[given.indexOf('--tree') + 1] : undefined)
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-heavy-'))
  const turns = join(folder, 'turns')
  await mkdir(turns)
  const site = await serveCases()
  const world = await makeWorld(tree, { engine: 'SQLite', folder, databaseUrl: undefined, site: site.url })
  say(
    '| request | ends | s | CPU s: main, camera, libvips and others, browser | longest turn: main, camera | memory: service, browser | other key: a page | /healthz |',
  )
  say('|---|---|---|---|---|---|---|---|')
  for (const heavy of chosen) {
    const service = await startService(tree, {
      ...world.env,
      TURNS_FOLDER: turns,
      NODE_OPTIONS: `--import=${new URL('heavy/turns.ts', import.meta.url).href}`,
    })
    const ask = (party: Party, { parameter, path, pages, loadingTime }: Case) =>
      capture(service.url, party, {
        screenshotParameter: parameter,
        urls: Array.from({ length: pages }, (_, index) => ({
          url: `${site.url}${path}?${index}`,
          name: `${index}`,
          ...(loadingTime && { loadingTime }),
        })),
      })
    const plain = async () => (await ask(world.victim, CASES[0] as Case)).seconds
    const quiet: number[] = []
    for (let page = 0; page < QUIET_PAGES; page++) quiet.push(await plain())
    const usage = watchUsage(service.pid, turns)
    const health = watchHealth(service.url)
    const root = ask(world.attacker, heavy)
    const beside: number[] = []
    const isOver = root.then(() => true)
    // Until the heavy one is in the browser.
    await sleep(500)
    while (!(await Promise.race([isOver, sleep(100, false)]))) beside.push(await plain())
    const { seconds, status } = await root
    const { main, camera, others, browser, mainTurn, cameraTurn, memory, browserMemory } = usage.end()
    const ends = Map.groupBy(status?.urls ?? [], (page) =>
      [page.state, page.reason, page.seen?.marks, page.detail].filter(String).join(' '),
    )
    const usual = median(quiet.slice(2))
    const page =
      beside.length === 0
        ? ''
        : `${fixed(usual)} → ${fixed(median(beside))} s (${fixed(median(beside) / usual)} ×), worst ${fixed(Math.max(...beside))} s`
    say(
      `| ${heavy.name} | ${[...ends].map(([end, all]) => `${all.length} × ${end}`).join('; ') || 'never'} | ${fixed(seconds)} | ` +
        `${[main, camera, others, browser].map(fixed).join(', ')} | ${mainTurn.toFixed(0)}, ${cameraTurn.toFixed(0)} ms | ` +
        `${memory.toFixed(0)}, ${browserMemory.toFixed(0)} MB | ${page} | ${(await health.end()).toFixed(0)} ms |`,
    )
    await service.end()
  }
  await world.close()
  await site.close()
  await rm(folder, { recursive: true })
}

interface Captured {
  readonly seconds: number
  readonly status?: RootStatus
}

async function capture(server: string, { projectId, write }: Party, request: object): Promise<Captured> {
  const began = performance.now()
  const client = createClient({ server, key: write })
  const { jobId } = await client.requestScreenshots(
    projectId,
    request as Parameters<typeof client.requestScreenshots>[1],
  )
  for (;;) {
    const status = await client.getStatus(projectId, jobId, { wait: 20 })
    const ms = performance.now() - began
    if (isFinal(status.state) || ms > MOST_MS) return { seconds: ms / 1_000, status }
  }
}

/** The worst answer, in milliseconds. */
function watchHealth(server: string): { end(): Promise<number> } {
  const over = new AbortController()
  let worst = 0
  const asking = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      await (await fetch(`${server}/healthz`)).text()
      worst = Math.max(worst, performance.now() - began)
      await sleep(HEALTH_MS)
    }
  })()
  return {
    async end() {
      over.abort()
      await asking
      return worst
    },
  }
}

async function serveCases(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    response.setHeader('content-type', 'text/html; charset=utf-8').end(SITE[path] ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function fixed(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
