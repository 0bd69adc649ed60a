import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NoAnswerError } from '../src/client/client.ts'
import { COLOURED, servePages } from '../test/support/camera/pages.ts'
import { askFor } from '../test/support/http/ask-for.ts'
import { serveProcess } from '../test/support/processes/process.ts'
import { compare } from './audit.ts'
import { tell } from './outcome.ts'
import { type Installation, useInstallations } from './worlds.ts'

const KILLS = 100
/** Requests before the first kill. Each kill adds a few. */
const PAGES = 400
const PAGES_A_ROOT = 5

const pagesOf = (url: string, count: number, name = '') =>
  Array.from({ length: count }, (_, index) => ({ url: `${url}/${name}${index}`, name: 'x' }))

/** Kills a service at a random instant of its first second, with its browser, and waits until it is gone. */
async function killSoon(service: Awaited<ReturnType<typeof serveProcess>>): Promise<void> {
  await sleep(randomInt(100, 1_000))
  process.kill(service.pid, 'SIGKILL')
  await service.ended
}

/** A request that broke off was not acknowledged. */
function unlessGone(error: Error): undefined {
  if (!(error instanceof NoAnswerError)) throw error
}

/** Waits until all pages are captured. */
async function finishAll(installation: Installation, rootIds: readonly string[]): Promise<void> {
  const { url, pid, ended } = await serveProcess(installation.env)
  for (const rootId of rootIds) await askFor(url, installation.projectId).finished(rootId)
  process.kill(pid, 'SIGTERM')
  await ended
}

for (const [world, newInstallation] of useInstallations()) {
  test(`kill -9 of the service while pages are captured, ${world}`, async ({ task }) => {
    const site = await servePages((_path, response) => void setTimeout(() => response.end(COLOURED), 100))
    const installation = await newInstallation({
      CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
      CAPTURE_CONCURRENCY: '4',
    })
    const acknowledged: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const service = await serveProcess(installation.env)
      const client = askFor(service.url, installation.projectId)
      const ask = async () => {
        const rootId = await client.post(pagesOf(site.url, PAGES_A_ROOT)).catch(unlessGone)
        if (rootId) acknowledged.push(rootId)
      }
      if (kill === 0) while (acknowledged.length < PAGES / PAGES_A_ROOT) await ask()
      const killed = killSoon(service)
      await ask()
      await killed
    }
    const began = performance.now()
    await finishAll(installation, acknowledged)
    const recoverySeconds = (performance.now() - began) / 1_000
    const { found, done } = await compare(installation, acknowledged)
    tell(task, { world, times: KILLS, ...found, recoverySeconds, note: `${done} pages done` })
    expect(done).toBeGreaterThanOrEqual(acknowledged.length * PAGES_A_ROOT)
  })

  test(`a page that kills the service each time, ${world}`, async ({ task }) => {
    let pid: number | undefined
    let deaths = 0
    const site = await servePages((path, response) => {
      if (path === '/killer' && pid) {
        deaths++
        process.kill(pid, 'SIGKILL')
      } else setTimeout(() => response.end(COLOURED), 100)
    })
    const installation = await newInstallation({
      CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
      CAPTURE_CONCURRENCY: '2',
    })
    let rootId: string | undefined
    const isOver = async (url: string) => {
      const { counts } = await askFor(url, installation.projectId).status(rootId ?? '', 5)
      return counts.queued + counts.running === 0
    }
    for (let over = false; !over; ) {
      const service = await serveProcess(installation.env)
      pid = service.pid
      rootId ??= await askFor(service.url, installation.projectId).post([
        ...pagesOf(site.url, 10, 'early'),
        { url: `${site.url}/killer`, name: 'x' },
        ...pagesOf(site.url, 10, 'late'),
      ])
      const dead = service.ended.then(() => 'dead' as const)
      for (let state: 'dead' | boolean = false; state === false; )
        state = await Promise.race([dead, isOver(service.url).catch(() => false)]).then((one) => {
          over = one === true
          return one
        })
      pid = undefined
      if (over) process.kill(service.pid, 'SIGTERM')
      await service.ended
    }
    const { found, done } = await compare(installation, [rootId ?? ''])
    // All but the page that kills the service.
    const failedPages = found.failedPages - 1
    const note = `given up after ${deaths} deaths; ${done} other pages done`
    tell(task, { world, times: deaths, ...found, failedPages, note })
    expect(done).toBe(20)
  })
}
