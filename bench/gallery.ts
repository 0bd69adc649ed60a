import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { buildGallery } from '../gallery/build.ts'
import { findBrowser } from '../src/camera/browser/find-browser.ts'
import { readConfig } from '../src/config/config.ts'
import { rootPath } from '../src/contract/paths.ts'
import type { RootResult } from '../src/contract/results.ts'
import { openStorage } from '../src/service/storage.ts'
import { hangMany } from '../test/support/gallery/hang-many.ts'
import { startProofsheet } from './processes.ts'
import { compare } from './statistics.ts'
import type { Figure } from './targets.ts'
import type { World } from './worlds.ts'

const PICTURES = 10_000
const ROUNDS = 5

/** Row 11: 10,000 pictures of one root and of a hundred roots, compared with a plain web page with the same pictures. */
export async function measureGallery(world: World): Promise<Figure[]> {
  if (world.name !== 'SQLite + disk') return []
  await buildGallery({ ifOlder: true, quiet: true })
  const env = await world.empty()
  const config = readConfig(env)
  const storage = await openStorage(config)
  const filled = { store: storage.store, dataDir: config.dataDir }
  const whole = await hangMany(filled, { roots: 1, jobsPerRoot: PICTURES, now: Date.now() })
  const parted = await hangMany(filled, { roots: 100, jobsPerRoot: PICTURES / 100, now: Date.now() })
  await storage.close()
  const service = await startProofsheet(env)
  const rootId = whole.rootIds[0] ?? ''
  const { jobs } = (await (await fetch(service.url + rootPath(whole.projectId, rootId))).json()) as RootResult
  const plain = await servePlain(jobs.map(({ preview }) => preview))
  const { capture, dataDir } = readConfig({ ...process.env, DATA_DIR: '/nonexistent' })
  const found = await findBrowser({ ...capture, dataDir })
  const browser = await chromium.launch({
    executablePath: found.path,
    env: { ...(await found.prepare()) },
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu'],
  })
  try {
    const root = `${service.url}/projects/${whole.projectId}/roots/${rootId}`
    const list = `${service.url}/projects/${parted.projectId}`
    const one = await compareFirst(browser, root, plain.url)
    const many = await compareFirst(browser, list, plain.url)
    const size = { root: await measurePage(browser, root), plain: await measurePage(browser, plain.url) }
    const seconds = (ms: number) => (ms / 1_000).toFixed(2)
    const said = ({ ours, theirs }: { ours: number; theirs: number }) =>
      `${seconds(ours)} s and ${seconds(theirs)} s, median of ${ROUNDS}`
    return [
      { row: '11a', world: world.name, value: one.ours / 1_000, detail: said(one) },
      { row: '11b', world: world.name, value: many.ours / 1_000, detail: said(many) },
      { row: '11c', world: world.name, value: one.ratio, detail: said(one) },
      {
        row: '11d',
        world: world.name,
        value: size.root.elements,
        detail: `${size.plain.elements} in the plain page`,
      },
      {
        row: '11e',
        world: world.name,
        value: size.root.megabytes,
        detail: `of scripts; ${size.plain.megabytes.toFixed(0)} in the plain page, which has none`,
      },
    ]
  } finally {
    await browser.close()
    await service.stop()
    plain.close()
  }
}

/** The simplest web page with these pictures. */
async function servePlain(addresses: readonly string[]) {
  const images = addresses.map((src) => `<img loading="lazy" width="250" height="156" src="${src}">`)
  const html = `<!doctype html><title>plain</title>${images.join('')}`
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

/** Milliseconds from the request for the page to its first picture, each time with an empty cache. */
async function compareFirst(browser: Browser, ours: string, theirs: string) {
  const first = (url: string) => async () => await visit(browser, url, readFirst)
  return await compare(first(ours), first(theirs), { rounds: ROUNDS })
}

async function visit<T>(browser: Browser, url: string, look: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(`document.addEventListener('load', ({ target }) => {
      if (target.tagName === 'IMG') globalThis.firstPicture ??= performance.now()
    }, true)`)
    await page.goto(url)
    return await look(page)
  } finally {
    await context.close()
  }
}

async function readFirst(page: Page): Promise<number> {
  const first = await page.waitForFunction(() => (globalThis as { firstPicture?: number }).firstPicture)
  return Number(await first.jsonValue())
}

/** Memory and elements after the first picture. */
async function measurePage(browser: Browser, url: string) {
  return await visit(browser, url, async (page) => {
    await readFirst(page)
    await page.waitForLoadState('networkidle')
    const session = await page.context().newCDPSession(page)
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const elements = await page.locator('*').count()
    return { elements, megabytes: usedSize / 1e6 }
  })
}
