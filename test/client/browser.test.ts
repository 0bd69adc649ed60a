// @module-tag browser

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { prepareTestBrowser } from '../support/browser/test-browser.ts'
import { type BareAnswer, events, serveBare } from '../support/http/bare-server.ts'
import { finishNext, startAccepting } from '../support/http/requests.ts'
import { until } from '../support/runner/until.ts'
import { addRows, makeKey } from '../support/store/results.ts'

const ENTRY = join(fileURLToPath(new URL('../..', import.meta.url)), 'src/client/client.ts')

/** The client as a web page loads it. */
let script = ''
let browser: Awaited<ReturnType<typeof chromium.launch>>

beforeAll(async () => {
  const bundle = await rolldown({ input: ENTRY, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  script = output[0].code
  const prepared = await prepareTestBrowser()
  browser = await chromium.launch({ ...prepared, chromiumSandbox: false })
})
afterAll(() => browser.close())

/** A page at an origin of its own, which may also answer requests itself. */
async function openPage(answer: BareAnswer = (response) => response.writeHead(404).end()) {
  const site = await serveBare((response, request, count) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
    // A full browser requests it by itself.
    if (request.url === '/favicon.ico') return response.writeHead(404).end()
    if (request.url !== '/client.js') return answer(response, request, count)
    return response.setHeader('content-type', 'text/javascript').end(script)
  })
  const open = async () => {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(site.url)
    await page.evaluate('globalThis.told = []')
    return page
  }
  return { ...site, open }
}

/** Runs in the page, with `client`, `told` (its messages) and everything that the client exports. */
function run<T>(page: Page, options: object, body: string): Promise<T> {
  return page.evaluate(`(async () => {
    const library = await import('/client.js')
    const client = library.createClient(${JSON.stringify(options)})
    ${body}
  })()`)
}

describe('in a browser', () => {
  test('a web page of another origin can read with a key, list and watch', async () => {
    const site = await openPage()
    const service = await startAccepting({ AUTH: 'keys', CORS_ORIGINS: site.url })
    const { projectId } = service
    for (let index = 0; index < 5; index++) await addRows(service.store, projectId)
    const { secret: key } = await makeKey(service.store, projectId, 'write')
    const options = { server: service.url, key }
    const page = await site.open()
    const pages = `Array.fromAsync(client.listRoots('${projectId}', { limit: 2 }))`
    expect(await run(page, options, `return (await ${pages}).map((page) => page.length)`)).toEqual([2, 2, 1])
    expect(
      await run(
        page,
        options,
        `try { await client.getRoot('${projectId}', '..') } catch (error) {
           return [error instanceof library.ProblemError, error.code, error.requestId !== undefined]
         }`,
      ),
    ).toEqual([true, 'not_found', true])

    const response = await service.post(
      {
        screenshotParameter: { width: 800, height: 600 },
        urls: [{ url: 'https://example.com/', name: '🦉' }],
      },
      { headers: { authorization: key } },
    )
    const { jobId } = (await response.json()) as { jobId: string }
    const watching = run<string[]>(
      page,
      options,
      `for await (const { state, urls } of client.watchStatus('${projectId}', '${jobId}')) {
         told.push(state + urls[0].name)
       }
       return told`,
    )
    await page.waitForFunction('told.length === 1')
    await finishNext(service.store, jobId)
    expect(await watching).toEqual(['queued🦉', 'done🦉'])
  })

  test('a web page of the same origin needs no server URL; it reconnects after a cut, and stops when aborted', async () => {
    const status = (state: string) => ({ rootId: 'r', state, created: 1, tags: [], counts: {}, urls: [] })
    const event = (id: number, state: string) =>
      `id: ${id}\nevent: status\ndata: ${JSON.stringify(status(state))}\n\n`
    let closed = 0
    const site = await openPage((response, request, count) => {
      response.once('close', () => closed++)
      const seen = request.headers['last-event-id']
      if (request.url?.includes('moved')) return response.writeHead(302, { location: '/' }).end()
      if (seen === undefined) return events('retry: 1\n\n', event(1, 'queued'))(response, request, count)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.write(event(Number(seen) + 1, 'running'))
    })
    const page = await site.open()
    const watching = run<string[]>(
      page,
      { server: '' },
      `globalThis.stop = new AbortController()
       for await (const { state } of client.watchStatus('p', 'r', { signal: stop.signal })) told.push(state)
       return told`,
    )
    await page.waitForFunction('told.length === 2')
    expect(closed).toBe(1)
    await page.evaluate('stop.abort()')
    expect(await watching).toEqual(['queued', 'running'])
    await until(() => closed === 2, 'the connection is closed')
    expect(
      await run(
        page,
        { server: '' },
        `try { await client.getProject('moved') } catch (error) { return [error.code, error.status] }`,
      ),
    ).toEqual(['unexpected_answer', 0])
    expect(
      await run(
        page,
        { server: 'http://127.0.0.1:1' },
        `try { await client.getProject('p') } catch (error) { return error instanceof library.NoAnswerError }`,
      ),
    ).toBe(true)
  })
})
