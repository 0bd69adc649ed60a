// @module-tag browser

import { homedir } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { paint, serveSite } from '../support/camera/camera.ts'
import { askFor } from '../support/http/ask-for.ts'
import { startService } from '../support/http/service.ts'
import { freePort } from '../support/servers/ports.ts'
import { makeProject } from '../support/store/results.ts'

describe('the service', () => {
  test('cannot be reached from the pages that it captures, with the browser found on the machine', async () => {
    /** Captures a page that requests the service, and the service itself; returns the outcomes and the requests. */
    const captureWith = async (allow: (site: number, service: number) => string) => {
      const port = await freePort()
      const inside = await serveSite({
        '/': paint(
          '#00ff00',
          `<script>for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0']) {
            const url = 'http://' + host + ':${port}/secret'
            new Image().src = url
            fetch(url, { mode: 'no-cors' }).then(() => fetch('/reached'), () => fetch('/failed'))
          }</script>`,
        ),
        '/reached': '',
        '/failed': '',
      })
      onTestFinished(() => inside.close())
      const service = await startService({
        PORT: String(port),
        CAPTURE_ALLOW: allow(inside.port, port),
        PATH: process.env['PATH'] ?? '',
        HOME: homedir(),
      })
      const projectId = await makeProject(service.store)
      const urls = [`http://localhost:${inside.port}/`, `${service.url}/secret`]
      const client = askFor(service.url, projectId)
      const pages = urls.map((url) => ({ url, name: url, loadingTime: 15_000 }))
      const status = await client.finished(await client.post(pages, { width: 300, height: 200 }))
      return {
        outcomes: status.urls.map(({ state, reason }) => reason ?? state),
        requests: service.logLines.filter((line) => line.includes('/secret')).length,
        logged: service.logLines.some((line) =>
          line.includes('"reason":"blocked","detail":"127.0.0.1 is a loop'),
        ),
        told: inside.asked.filter((path) => /reached|failed/.test(path)),
      }
    }
    const [attack, control] = await Promise.all([
      captureWith((inside) => `localhost:${inside}`),
      captureWith((inside, service) => `localhost:${inside},127.0.0.1:${service}`),
    ])
    expect(attack).toEqual({
      outcomes: ['done', 'blocked'],
      requests: 0,
      logged: true,
      told: ['/failed', '/failed', '/failed', '/failed'],
    })
    expect(control.outcomes).toEqual(['done', 'done'])
    expect(control.told).toContain('/reached')
    expect(control.requests).toBeGreaterThan(0)
  })
})
