import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { findBrowsers } from '../src/camera/browser/find-browser.ts'
import { readConfig } from '../src/config/config.ts'
import { paths, pathTo, projectPath } from '../src/contract/paths.ts'
import type { RootStatus } from '../src/contract/status.ts'
import { pages, pathOf, serveSite } from '../src/demo/site.ts'
import { openStorage } from '../src/service/storage.ts'
import type { PlainOrder } from './plain-capture.ts'
import { spawnNode, startProofsheet } from './processes.ts'
import { compare } from './statistics.ts'
import type { Figure } from './targets.ts'
import type { World } from './worlds.ts'

const PAGES = 16
const ROUNDS = 3
/** What an option costs: shots a second with it, against without. The pages have no banner. */
const OPTIONS: Readonly<Record<string, object>> = {
  '10e': { headers: { 'x-bench': '1' } },
  '10f': { cookies: [{ name: 'bench', value: '1' }] },
  '10g': { deviceScaleFactor: 2 },
  '10h': { cookieBanners: 'decline' },
}

/** Row 10: shots a second, from the request to the last result, beside a plain loop with the same browser. */
export async function measureCapture(world: World): Promise<Figure[]> {
  const { capture, dataDir } = readConfig({ ...process.env, DATA_DIR: '/nonexistent' })
  const found = await Array.fromAsync(findBrowsers({ ...capture, dataDir }))
  const [browser] = found
  if (!browser) throw new Error('there is no browser to measure with: npx proofsheet browser install')
  const site = await serveSite()
  const urls = Array.from({ length: PAGES }, (_, index) => {
    const page = pages[index % pages.length] ?? 'home'
    return `http://127.0.0.1:${site.port}${pathOf(page)}?${index}`
  })
  const plain = spawnNode('plain-capture.ts', [browser.path], {
    BROWSER_ENV: JSON.stringify(await browser.prepare()),
  })
  if (plain.stdout) await once(plain.stdout, 'data')
  plain.stdout?.resume()
  const plainly = async (loops: number) => {
    plain.send({ urls, loops } satisfies PlainOrder)
    const [ms] = await once(plain, 'message')
    return PAGES / ((ms as number) / 1000)
  }
  const figures: Figure[] = []
  const start = async (concurrency: number, path = browser.path) => {
    const { env, projectId } = await emptyProject(world)
    const service = await startProofsheet({
      ...env,
      CAPTURE_CONCURRENCY: String(concurrency),
      CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
      CHROMIUM_PATH: path,
    })
    const captureWith = (options: object) => () => captureAll(service.url, projectId, urls, options)
    return { capture: captureWith({}), captureWith, stop: () => service.stop() }
  }
  const record = (row: string, rates: Awaited<ReturnType<typeof compare>>) =>
    figures.push({
      row,
      world: world.name,
      value: rates.ratio,
      detail: `${rates.ours.toFixed(1)} and ${rates.theirs.toFixed(1)} shots a second; ${PAGES} pages, median of ${ROUNDS}`,
    })
  for (const [row, concurrency] of [
    ['10a', 1],
    ['10b', 2],
    ['10c', 4],
  ] as const) {
    const service = await start(concurrency)
    record(row, await compare(service.capture, () => plainly(concurrency), { rounds: ROUNDS }))
    await service.stop()
  }
  if (world.name === 'SQLite + disk') {
    const service = await start(2)
    for (const [row, options] of Object.entries(OPTIONS)) {
      record(row, await compare(service.captureWith(options), service.capture, { rounds: ROUNDS }))
    }
    await service.stop()
  }
  const whole = found.find(({ kind }) => kind === 'whole browser')
  if (world.name === 'SQLite + disk' && browser.kind === 'headless shell' && whole) {
    const [shell, chromium] = [await start(2), await start(2, whole.path)]
    record('10d', await compare(shell.capture, chromium.capture, { rounds: ROUNDS }))
    await Promise.all([shell.stop(), chromium.stop()])
  }
  const ended = once(plain, 'exit')
  plain.disconnect()
  await ended
  await site.close()
  return figures
}

async function emptyProject(world: World) {
  const env = await world.empty()
  const storage = await openStorage(readConfig(env))
  const projectId = randomUUID()
  await storage.store.createProject({ projectId, name: 'bench', created: Date.now() })
  await storage.close()
  return { env, projectId }
}

/** Shots a second. */
async function captureAll(
  server: string,
  projectId: string,
  urls: readonly string[],
  options: object,
): Promise<number> {
  const began = performance.now()
  const accepted = await fetch(server + projectPath(projectId), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      screenshotParameter: { width: 1200, height: 720, ...options },
      urls: urls.map((url) => ({ url, name: url })),
    }),
  })
  const { jobId } = (await accepted.json()) as { jobId: string }
  for (;;) {
    const response = await fetch(`${server}${pathTo(paths.getStatus, projectId, jobId)}?wait=60`)
    const { state, counts } = (await response.json()) as RootStatus
    if (state === 'done') return urls.length / ((performance.now() - began) / 1000)
    if (counts.failed > 0) throw new Error(`${counts.failed} captures failed`)
  }
}
