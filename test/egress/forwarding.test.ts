import { createHash, randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../support/runner/until.ts'
import {
  ask,
  dial,
  openTestGate,
  sendBytes,
  sendRequest,
  serveBytes,
  serveHttp,
  serveTcp,
} from './browser.ts'

// Plain http through a gate: requests and answers pass, and nothing else does.

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const split = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

function keepAlive(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

describe('bodies', () => {
  const bytes = randomBytes(8 * 1024 * 1024)

  test.each([{ 'Content-Length': `${bytes.length}` }, {}])(
    'pass unchanged in both directions, with %j',
    async (headers) => {
      const site = await serveHttp((asked, answer) => {
        const length = asked.headers['content-length']
        if (length) answer.setHeader('Content-Length', length)
        else expect(asked.headers['transfer-encoding']).toBe('chunked')
        asked.pipe(answer)
      })
      const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
      const body = split(bytes, 100_003)
      const answer = await ask(gate, `http://127.0.0.1:${site.port}/`, { method: 'POST', headers, body })
      expect(answer.body.length).toBe(bytes.length)
      expect(sha256(answer.body)).toBe(sha256(bytes))
      expect(gate.received).toBeGreaterThan(bytes.length)
      expect(gate.received).toBeLessThan(bytes.length * 1.02 + 1_000)
    },
  )

  test('that end with the connection are passed on whole', async () => {
    const site = await serveBytes(`HTTP/1.0 200 OK\r\n\r\n${'x'.repeat(300_000)}`)
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const { body } = await ask(gate, `http://127.0.0.1:${site.port}/`)
    expect(body.length).toBe(300_000)
  })

  test.each(['GET', 'DELETE'])(
    'of a %s keep their framing: nothing is smuggled in as a second request',
    async (method) => {
      const seen: string[] = []
      const site = await serveHttp(async (asked, answer) => {
        const body = Buffer.concat(await Array.fromAsync(asked as AsyncIterable<Buffer>))
        seen.push(`${asked.method} ${asked.url} ${body}`)
        answer.end()
      })
      const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
      const smuggled = 'GET /second HTTP/1.1\r\nHost: x\r\n\r\n'
      const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
      const head = `${method} http://127.0.0.1:${site.port}/first HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
      await sendBytes(gate, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)
      await sendBytes(gate, `${head}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`)
      expect(seen).toEqual([`${method} /first ${smuggled}`, `${method} /first ${smuggled}`])
    },
  )

  test('that are missing from a POST have the length 0', async () => {
    const site = await serveHttp((asked, answer) => void answer.end(JSON.stringify(asked.headers)))
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const answer = await sendRequest(gate, `http://127.0.0.1:${site.port}/`, 'POST')
    expect(answer).toContain('"content-length":"0"')
  })

  test('an answer that comes before the upload has ended is passed on, and the connection stays open', async () => {
    const site = await serveHttp((_, answer) => void answer.writeHead(413).end('too much'))
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const socket = dial(gate)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    const url = `http://127.0.0.1:${site.port}/`
    socket.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`)
    await until(() => text.includes('too much'))
    socket.write('x'.repeat(900_000))
    socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => text.split('too much').length === 3)
  })
})

describe('headers', () => {
  test('of the request: path, host and all headers not meant for the proxy are kept', async () => {
    let seen: { url: string | undefined; rawHeaders: string[] } | undefined
    const site = await serveHttp((asked, answer) => {
      seen = { url: asked.url, rawHeaders: asked.rawHeaders }
      answer.end()
    })
    const gate = await openTestGate({ lookup: async () => ['127.0.0.1'], allow: `127.0.0.1:${site.port}` })
    await sendBytes(
      gate,
      `GET http://Site.Test:${site.port}/a/../b%20c?d=//e HTTP/1.1\r\nHost: elsewhere.test\r\nX-Same: 1\r\nX-SAME: 2\r\n` +
        'Cookie: a=1\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nProxy-Odd: x\r\n' +
        'TE: trailers\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nX-Hop: 1\r\nConnection: close, X-Hop, Upgrade\r\n\r\n',
    )
    expect(seen?.url).toBe('/a/../b%20c?d=//e')
    const host = `site.test:${site.port}`
    const kept = ['X-Same', '1', 'X-SAME', '2', 'Cookie', 'a=1']
    expect(seen?.rawHeaders).toEqual(['Host', host, ...kept, 'Connection', 'close'])
  })

  test.each([
    ['http://site.test', '/', 'site.test'],
    ['http://site.test?a', '/?a', 'site.test'],
    ['HTTP://SITE.test:80/x', '/x', 'site.test'],
    ['http://site.test:8080/', '/', 'site.test:8080'],
  ])('%s requests %s of %s', async (url, path, host) => {
    const site = await serveHttp((asked, answer) => void answer.end(`${asked.url} ${asked.headers.host}`))
    const gate = await openTestGate({
      fixedAddresses: new Map([['site.test', { address: '127.0.0.1', port: site.port }]]),
    })
    expect((await ask(gate, url)).body.toString()).toBe(`${path} ${host}`)
  })

  test('of the answer: duplicates, spelling, order and Latin-1 are kept', async () => {
    const site = await serveBytes(
      'HTTP/1.1 200 Sch\xf6n\r\nset-Cookie: a=1\r\nSET-COOKIE: b=2\r\nX-\xe9: no\r\n'.replace(
        'X-\xe9: no\r\n',
        '',
      ) +
        'X-Latin: \xfc\r\nProxy-Authenticate: Basic\r\nX-Hop: 1\r\nConnection: X-Hop\r\nContent-Length: 2\r\n\r\nok',
    )
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    expect(await sendRequest(gate, `http://127.0.0.1:${site.port}/`)).toBe(
      'HTTP/1.1 200 Sch\xf6n\r\nset-Cookie: a=1\r\nSET-COOKIE: b=2\r\nX-Latin: \xfc\r\nContent-Length: 2\r\n' +
        'Connection: close\r\n\r\nok',
    )
  })

  test('may be as large as Chromium accepts', async () => {
    const large = 'x'.repeat(200_000)
    const site = await serveBytes(`HTTP/1.1 200 OK\r\nX-Large: ${large}\r\nContent-Length: 2\r\n\r\nok`)
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    expect(await sendRequest(gate, `http://127.0.0.1:${site.port}/`)).toContain(large)
  })
})

describe('answers', () => {
  test.each([
    ['GET', 'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n', 'HTTP/1.1 204 No Content\r\nX-A: b\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n'],
    // A redirect is handled by the browser: it sends another request, which is checked again.
    [
      'GET',
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n',
    ],
    [
      'GET',
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n',
    ],
  ])('%s %j', async (method, given, passedOn) => {
    const site = await serveBytes(given)
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const answer = await sendRequest(gate, `http://127.0.0.1:${site.port}/`, method)
    expect(answer).toBe(`${passedOn}Connection: close\r\n\r\n`)
  })

  test('of every length share one connection of the browser', async () => {
    const site = await serveHttp((asked, answer) => void answer.end('x'.repeat(Number(asked.url?.slice(1)))))
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const agent = keepAlive()
    for (let length = 1; length < 3_000_000; length = Math.ceil(length * 1.1)) {
      const { body } = await ask(gate, `http://127.0.0.1:${site.port}/${length}`, { agent })
      expect(body.length).toBe(length)
    }
    expect(Object.values(agent.freeSockets).flat().length).toBe(1)
    await until(() => site.sockets.every((socket) => socket.destroyed))
  })

  test.each([
    ['nothing', ''],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    [
      'an unrequested switch of protocols',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['an invalid status', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a control character in the reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n'],
    ['a control character in a header', 'HTTP/1.1 200 OK\r\nX: \x01\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(600_000)}`],
  ])('%s is not passed on to the browser', async (_, given) => {
    const site = await serveBytes(given)
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const url = `http://127.0.0.1:${site.port}/`
    expect(await sendRequest(gate, url)).toBe('')
    expect(gate.failureOf(url)).toMatchObject({ reason: 'unreachable' })
    expect(gate.failureOf(url)?.detail).toMatch(/^127\.0\.0\.1:\d+ broke off before it answered \(.+\)$/)
  })

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ['broken chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'],
  ])('that break off in the middle stay broken: %s', async (_, given) => {
    const site = await serveBytes(given)
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    await expect(ask(gate, `http://127.0.0.1:${site.port}/`)).rejects.toThrow()
    const answer = await sendRequest(gate, `http://127.0.0.1:${site.port}/`)
    expect(answer).toMatch(/^$|half(\r\n)?$/)
  })

  test('that are reset and have no length stay broken', async () => {
    const site = await serveTcp((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\nhalf')
        setTimeout(() => socket.resetAndDestroy(), 50)
      }),
    )
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    await expect(ask(gate, `http://127.0.0.1:${site.port}/`)).rejects.toThrow()
  })

  test('random bytes break nothing', async () => {
    let given = ''
    const site = await serveTcp((socket) =>
      socket.once('data', () => socket.end(Buffer.from(given, 'latin1'))),
    )
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const bytes = fc.uint8Array({ maxLength: 40 }).map((all) => Buffer.from(all).toString('latin1'))
    const start = fc.constantFrom(
      '',
      'HTTP/1.1 ',
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const end = fc.constantFrom('', '\r\n\r\n', '\r\nContent-Length: 2\r\n\r\nok')
    await fc.assert(
      fc.asyncProperty(start, bytes, end, async (...parts) => {
        given = parts.join('')
        expect(await sendRequest(gate, `http://127.0.0.1:${site.port}/`)).toMatch(/^($|HTTP\/1\.1 \d{3} )/)
      }),
      { numRuns: 300 },
    )
  })
})

describe('when the browser closes', () => {
  test('before the answer, the connection to the site is closed', async () => {
    const site = await serveTcp()
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const socket = dial(gate)
    socket.write(`GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => site.sockets.length === 1)
    site.sockets[0]?.resume()
    socket.destroy()
    await until(() => site.sockets[0]?.readableEnded === true || site.sockets[0]?.destroyed === true)
  })

  test('during the answer, the connection to the site is closed', async () => {
    const site = await serveHttp((_, answer) => void answer.write('some'))
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const socket = dial(gate)
    socket.write(`GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await until(() => site.sockets[0]?.destroyed === true)
  })

  test('during its upload, the site gets a broken request', async () => {
    let end: string | undefined
    const site = await serveHttp((asked) => {
      asked.on('error', () => (end = 'broken'))
      asked.on('end', () => (end = 'whole'))
      asked.resume()
    })
    const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
    const socket = dial(gate)
    socket.write(
      `POST http://127.0.0.1:${site.port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
    )
    await until(() => site.sockets.length === 1)
    socket.destroy()
    await until(() => end !== undefined)
    expect(end).toBe('broken')
  })
})

test('a slow browser slows the site down instead of filling the memory', async () => {
  const total = 256 * 1024 * 1024
  const chunk = Buffer.alloc(256 * 1024)
  let sent = 0
  const site = await serveHttp(async (_, answer) => {
    answer.writeHead(200, { 'Content-Length': total })
    while (sent < total && !answer.destroyed) {
      sent += chunk.length
      if (!answer.write(chunk)) await new Promise((resolve) => answer.once('drain', resolve))
    }
  })
  const gate = await openTestGate({ allow: `127.0.0.1:${site.port}` })
  const socket = dial(gate)
  socket.pause()
  socket.write(`GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until(() => sent > 0)
  for (let before = -1; before !== sent; ) {
    before = sent
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  // Bytes under way are in the buffers of the system, and a few in ours.
  expect(sent).toBeLessThan(total / 4)
  const held = gate.received
  socket.resume()
  await until(() => gate.received > held + 32 * 1024 * 1024)
})
