// @module-tag browser

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findBrowsers, openTestCamera, readPixels, type Wanted } from '../support/camera/camera.ts'
import { until } from '../support/runner/until.ts'
import { freePort } from '../support/servers/ports.ts'
import { A_WHILE, BLUE, FOREVER, GREEN, look, RED, useSite } from './use-site.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const { site, camera, at, count, openOwnCamera } = useSite()

describe.concurrent('the picture', () => {
  test('is as large as the window, with every colour in its place', async () => {
    const shown = await look(camera.take(at('/corners')))
    expect([shown.width, shown.height]).toEqual([1200, 720])
    expect([shown.at(0, 0), shown.at(99, 99), shown.at(100, 100)]).toEqual([RED, RED, '#ffffff'])
    expect([shown.at(1100, 0), shown.at(1199, 99), shown.at(1199, 719), shown.at(1099, 719)]).toEqual([
      GREEN,
      GREEN,
      BLUE,
      '#ffffff',
    ])
    expect((await camera.take(at('/long'))).seen.marks).toEqual([])
  })

  test('of a full page is as high as the page, and at least as high as the window', async () => {
    const [long, short] = await Promise.all([
      look(camera.take(at('/long'), { fullPage: true })),
      look(camera.take(at('/green'), { fullPage: true, width: 321, height: 123 })),
    ])
    expect([long.width, long.height, long.at(50, 2950), long.at(50, 2850)]).toEqual([1200, 3000, RED, BLUE])
    expect([short.width, short.height, short.at(320, 122)]).toEqual([321, 123, GREEN])
  })

  test('of an endless page is cut, and marked `cut`', async () => {
    const shot = await camera.take(at('/endless'), { fullPage: true, width: 400 })
    const shown = await readPixels(shot.bytes)
    expect(shot.seen.marks).toEqual(['cut'])
    expect([shown.width, shown.height, shown.at(399, 16_383)]).toEqual([400, 16_384, BLUE])
  })

  test('is cut if it would have too many pixels', async () => {
    const own = openTestCamera({ allow: `site.test:${site.port}`, limits: { pixels: 400_000 } })
    try {
      const shot = await own.take(at('/long'), { fullPage: true, width: 400 })
      const shown = await readPixels(shot.bytes)
      expect(shot.seen.marks).toEqual(['cut'])
      expect([shown.width, shown.height]).toEqual([400, 1000])
    } finally {
      await own.close()
    }
  })

  test('is never wider than the window', async () => {
    for (const fullPage of [false, true]) {
      const shown = await look(camera.take(at('/wide'), { fullPage }))
      expect([shown.width, shown.height, shown.at(1150, 50), shown.at(0, 50)]).toEqual([
        1200,
        720,
        GREEN,
        BLUE,
      ])
    }
  })

  test.each(['/gone', '/broken'])('shows error pages, too: %s', async (path) => {
    expect((await look(camera.take(at(path)))).at(600, 400)).toBe(GREEN)
  })

  test('shows the part of the page that the URL scrolls to', async () => {
    const shown = await look(camera.take(at('/anchors#far')))
    expect([shown.height, shown.at(0, 0), shown.at(0, 719)]).toEqual([720, BLUE, BLUE])
    const full = await look(camera.take(at('/anchors#far'), { fullPage: true }))
    expect([full.height, full.at(0, 0), full.at(0, 2000)]).toEqual([4000, RED, BLUE])
  })
})

describe.concurrent('a page has settled when', () => {
  /** Its loading time never ends, however busy the machine is. */
  const settled = (path: string, options: Wanted = {}) =>
    look(camera.take(at(path), { ...options, loadingTime: FOREVER }))

  test('everything that appears on scrolling is there', async () => {
    const shown = await settled('/observed', { fullPage: true })
    expect([shown.at(600, 5_250), shown.at(600, 100)]).toEqual([GREEN, RED])
  })

  test('its lazy pictures and frames are there, however far below', async () => {
    const shown = await settled('/lazy', { fullPage: true })
    expect([shown.at(50, 8050), shown.at(250, 8050), shown.at(50, 7950)]).toEqual([RED, GREEN, BLUE])
  })

  test('its fonts are there', async () => {
    const shown = await settled('/font')
    expect(shown.at(200, 200)).toBe(RED)
  })

  test('everything that its scripts fetch, one after the other, is there', async () => {
    expect((await settled('/fetches')).at(600, 400)).toBe(GREEN)
  })

  test('its animations have ended', async () => {
    const shown = await settled('/moves')
    expect([50, 150, 250].map((y) => shown.at(50, y))).toEqual([GREEN, GREEN, GREEN])
  })

  test('it has nothing more to do: no time is wasted on a page that is ready', async () => {
    await camera.ready()
    expect((await settled('/green')).at(600, 400)).toBe(GREEN)
  })
})

describe.concurrent('a page that', () => {
  test.each(['/dialogs', '/leaves'])('opens dialog after dialog (%s) is captured', async (path) => {
    expect((await look(camera.take(at(path)))).at(600, 400)).toBe(GREEN)
  })

  test('opens other windows is itself captured', async () => {
    expect((await look(camera.take(at('/popups'), { loadingTime: 2_500 }))).at(600, 400)).toBe(GREEN)
    expect(count('/popup-lives')).toBe(0)
  })

  test.each([
    ['listens to endless events', '/streaming'],
    ['has a shared worker', '/shares'],
  ])('%s is captured as soon as it is there', async (_, path) => {
    expect((await look(camera.take(at(path), { loadingTime: FOREVER }))).at(600, 400)).toBe(GREEN)
  })

  test('starts downloads is captured without them', async () => {
    expect((await look(camera.take(at('/downloads'), { loadingTime: 3_000 }))).at(600, 700)).toBe(GREEN)
  })

  test('never finishes loading is captured as it is when its loading time is over', async () => {
    for (const path of ['/unfinished', '/half']) {
      const began = performance.now()
      const shown = await look(camera.take(at(path), { loadingTime: A_WHILE }))
      expect([path, shown.at(600, 400)]).toEqual([path, GREEN])
      expect(performance.now() - began).toBeGreaterThan(A_WHILE - 100)
    }
  })

  test.each(['/reloads', '/reloads-later', '/refreshes'])('%s forever is captured anyway', async (path) => {
    expect((await look(camera.take(at(path), { loadingTime: A_WHILE }))).at(600, 400)).toBe(GREEN)
  })

  test('is redirected ten times is captured at the end of the redirects', async () => {
    expect((await look(camera.take(at('/chain?1')))).at(600, 400)).toBe(GREEN)
  })
})

describe.concurrent('the reason of a failure', () => {
  const failing = async (url: string, wanted: Wanted = { loadingTime: FOREVER }) => {
    const failure = await camera.take(url, wanted).then(
      () => ({ name: 'none', reason: undefined, message: '' }),
      (error) => error,
    )
    expect(failure.name).toBe('CaptureFailure')
    expect(failure.message).toMatch(/^\S.{10,200}$/)
    return failure.reason
  }

  test.each([
    ['/attachment', 'download'],
    ['/binary', 'download'],
    ['/loop', 'redirects'],
    ['/longer?0', 'redirects'],
    ['/to-private', 'blocked'],
    ['/to-dead-name', 'dns'],
  ])('%s: %s', async (path, reason) => {
    expect(await failing(at(path))).toBe(reason)
  })

  test('`timeout` if nothing ever arrives', async () => {
    expect(await failing(at('/never'), { loadingTime: 1_000 })).toBe('timeout')
  })

  test.each([
    ['http://unknown.nowhere/', 'dns'],
    ['https://unknown.nowhere/', 'dns'],
    ['http://10.0.0.1/', 'blocked'],
    ['https://10.0.0.1/', 'blocked'],
    ['http://other.test/', 'blocked'],
    ['file:///etc/hostname', 'blocked'],
    ['chrome://version/', 'blocked'],
    ['view-source:http://site.test/', 'blocked'],
    ['data:text/html,hello', 'blocked'],
    ['about:blank', 'blocked'],
    ['javascript:1', 'blocked'],
    ['nothing', 'blocked'],
  ])('%s: %s', async (url, reason) => {
    expect(await failing(url)).toBe(reason)
  })

  test('`refused` if no server listens', async () => {
    const port = await freePort()
    const own = openTestCamera({ allow: `site.test:${port}` })
    try {
      for (const scheme of ['http', 'https']) {
        await expect(own.take(`${scheme}://site.test:${port}/`)).rejects.toMatchObject({ reason: 'refused' })
      }
    } finally {
      await own.close()
    }
  })

  test('`tls` if the server does not speak TLS, or its certificate is self-signed', async () => {
    const [key, cert] = await Promise.all(
      ['server.key', 'server.pem'].map((name) => readFile(join(ROOT, 'test/support/servers/tls', name))),
    )
    const servers = [
      createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('garbage\r\n'))),
      createTlsServer({ key, cert }, (socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n')),
    ]
    for (const server of servers) {
      await once(server.on('tlsClientError', () => {}).listen(0, '127.0.0.1'), 'listening')
    }
    const ports = servers.map((server) => (server.address() as AddressInfo).port)
    const own = openTestCamera({ allow: ports.map((port) => `127.0.0.1:${port}`).join() })
    try {
      for (const port of ports) {
        await expect(own.take(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ reason: 'tls' })
      }
    } finally {
      await own.close()
      for (const server of servers) server.close()
    }
  })

  test('`too_large` if the page loads more bytes than allowed', async () => {
    const own = openTestCamera({ allow: `site.test:${site.port}`, limits: { pageBytes: 1_000_000 } })
    try {
      for (const path of ['/large', '/loads-large']) {
        const failure = await own.take(at(path), { loadingTime: FOREVER }).catch((error) => error)
        expect([path, failure.reason]).toEqual([path, 'too_large'])
      }
    } finally {
      await own.close()
    }
  })
})

describe('captures', () => {
  test('share no cookies, storage or cache', async () => {
    const before = site.asked.filter((path) => path === '/cached.js').length
    for (const _ of [1, 2]) expect((await look(camera.take(at('/state')))).at(600, 400)).toBe(GREEN)
    expect(site.asked.filter((path) => path === '/cached.js').length - before).toBe(2)
  })

  test('wait for each other when the limit of captures at a time is reached', async () => {
    const own = openOwnCamera({ concurrency: 2 })
    const shots = Array.from({ length: 7 }, () => own.take(at('/slow-green')))
    await Promise.all(shots)
    expect([own.mostGates(), own.gates.size]).toEqual([2, 0])
  })

  test('share one browser', async () => {
    const own = openOwnCamera()
    const before = findBrowsers()
    await Promise.all([1, 2, 3].map(() => own.take(at('/green'))))
    expect(findBrowsers().length - before.length).toBe(1)
  })

  test('end soon when aborted, even while waiting, and the browser stays', async () => {
    const own = openOwnCamera({ concurrency: 1 })
    await own.take(at('/green'))
    const [browser] = findBrowsers().slice(-1)
    const first = new AbortController()
    const second = new AbortController()
    const reason = new Error('called off')
    const waiting = count('/never')
    const shots = [first, second].map(({ signal }) =>
      own.take(at('/unfinished'), { loadingTime: FOREVER }, signal),
    )
    const ended = Promise.allSettled(shots)
    await until(() => count('/never') > waiting, 'the page asks')
    second.abort(reason)
    first.abort(reason)
    expect(await ended).toEqual([1, 2].map(() => ({ status: 'rejected', reason })))
    await expect(own.take(at('/green'), {}, first.signal)).rejects.toBe(reason)
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
    expect(findBrowsers()).toContain(browser)
  })
})
