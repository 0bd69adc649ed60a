import { Agent } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ask,
  openTestGate,
  openTunnel,
  sendBytes,
  sendRequest,
  serveBytes,
  serveHttp,
  serveTcp,
  tryTunnel,
} from './browser.ts'

// Traffic that the guard blocks. A canary listens at a forbidden place: it must stay silent.

type Quad = [number, number, number, number]

const numeral = (value: number) =>
  fc.constantFrom(
    `${value}`,
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0x0${value.toString(16)}`,
    `0${value.toString(8)}`,
    `000${value.toString(8)}`,
  )

/** One to four parts, each in any base: the last takes the rest. */
const ipv4Spelling = ([a, b, c, d]: Quad) => {
  const all = ((a * 256 + b) * 256 + c) * 256 + d
  const parts: number[][] = [[all], [a, all % 2 ** 24], [a, b, all % 2 ** 16], [a, b, c, d]]
  const dotted = fc.constantFrom(...parts).chain((part) => fc.tuple(...part.map(numeral)))
  const spelled = fc.tuple(dotted, fc.constantFrom('', '.')).map(([one, end]) => one.join('.') + end)
  const escaped = (text: string) => text.replace(/\d/, (digit) => `%3${digit}`)
  const wide = (text: string) =>
    text.replace(/\d/, (digit) => encodeURIComponent(String.fromCharCode(0xff10 + +digit)))
  return fc.oneof(
    spelled,
    spelled.map(escaped),
    spelled.map(wide),
    spelled.map((text) => text.replace('.', '%E3%80%82')),
  )
}

const ipv6Spelling = (quad: Quad) => {
  const [a, b, c, d] = quad
  const hex = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':')
  const forms = [quad.join('.'), hex, hex.toUpperCase()]
  const prefixes = [
    '::ffff:',
    '0:0:0:0:0:ffff:',
    '0000:0000::FFFF:',
    '::',
    '::ffff:0:',
    '64:ff9b::',
    '64:ff9b:1::',
  ]
  return fc
    .tuple(fc.constantFrom(...prefixes), fc.constantFrom(...forms))
    .map(([prefix, form]) => `[${prefix}${form}]`)
}

const LOOPBACK: Quad = [127, 0, 0, 1]
const byte = fc.integer({ min: 0, max: 255 })
const forbidden: fc.Arbitrary<Quad> = fc.oneof(
  fc.constant<Quad>(LOOPBACK),
  fc.constant<Quad>([0, 0, 0, 0]),
  fc.constant<Quad>([169, 254, 169, 254]),
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
)

describe('no spelling of a forbidden address is reached', () => {
  const spelling = forbidden.chain((quad) => fc.oneof(ipv4Spelling(quad), ipv6Spelling(quad)))

  test('by http: the connection is destroyed without an answer, and the reason is recorded', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ lookup: () => Promise.reject(new Error('a literal is not looked up')) })
    await fc.assert(
      fc.asyncProperty(spelling, async (host) => {
        const url = `http://${host}:${canary.port}/`
        expect(await sendRequest(gate, url)).toBe('')
        expect(gate.failureOf(url)?.reason).toBe('blocked')
      }),
      { numRuns: 300 },
    )
    expect(canary.sockets.length).toBe(0)
  })

  test('by CONNECT: the answer is 502, as for a name that does not exist', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ lookup: () => Promise.reject(new Error('a literal is not looked up')) })
    await fc.assert(
      fc.asyncProperty(spelling, async (host) => {
        const { status } = await openTunnel(gate, `${host}:${canary.port}`)
        expect(status).toBe('HTTP/1.1 502 Bad Gateway')
        expect(gate.failureOf(`https://${host}:${canary.port}/`)?.reason).toBe('blocked')
      }),
      { numRuns: 300 },
    )
    expect(canary.sockets.length).toBe(0)
  })

  test('this test works: every spelling of an allowed IPv4 address reaches the canary', async () => {
    const canary = await serveBytes('HTTP/1.1 204 No Content\r\n\r\n')
    const gate = await openTestGate({ allow: `127.0.0.1:${canary.port}` })
    let asked = 0
    await fc.assert(
      fc.asyncProperty(ipv4Spelling(LOOPBACK), async (host) => {
        expect(await sendRequest(gate, `http://${host}:${canary.port}/`)).toMatch(/^HTTP\/1.1 204/)
        expect((await openTunnel(gate, `${host}:${canary.port}`)).status).toMatch(/ 200 /)
        asked += 2
      }),
      { numRuns: 100 },
    )
    expect(canary.sockets.length).toBe(asked)
  })

  test('allowing an IPv4 address does not allow its mapped IPv6 address', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ allow: `127.0.0.1:${canary.port}` })
    expect(await tryTunnel(gate, `[::ffff:127.0.0.1]:${canary.port}`)).toBe('blocked')
    expect(canary.sockets.length).toBe(0)
  })

  test('an address that is allowed on one port is refused on another', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ allow: '127.0.0.1:1' })
    expect(await tryTunnel(gate, `127.0.0.1:${canary.port}`)).toBe('blocked')
    expect(canary.sockets.length).toBe(0)
  })
})

describe('a name', () => {
  test('that leads to a private address is blocked, with a reason', async () => {
    const gate = await openTestGate({ lookup: async () => ['10.0.0.5'] })
    expect(await sendRequest(gate, 'http://example.internal/')).toBe('')
    expect(gate.failureOf('http://example.internal/any?thing')).toEqual({
      reason: 'blocked',
      detail:
        'example.internal leads to a private address, which captured pages may not reach. ' +
        'To allow it, start proofsheet with CAPTURE_ALLOW=example.internal:80 (entries are separated by commas).',
    })
    expect(gate.failureOf('http://example.internal:81/')).toBeUndefined()
    expect(gate.failureOf('https://example.internal/')).toBeUndefined()
  })

  test('of this machine is blocked by a real look-up, too', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate()
    expect(await sendRequest(gate, `http://LOCALHOST.:${canary.port}/`)).toBe('')
    expect(gate.failureOf(`http://localhost:${canary.port}/`)?.reason).toBe('blocked')
    expect(canary.sockets.length).toBe(0)
  })

  test('with several addresses is reached only at the allowed ones', async () => {
    const reached: (string | undefined)[] = []
    const site = await serveHttp((asked, answer) => {
      reached.push(asked.socket.localAddress)
      answer.writeHead(204).end()
    })
    // 127.0.0.2 is forbidden here, and would be tried first.
    const lookup = async () => [
      '127.0.0.2',
      '::ffff:127.0.0.1',
      'garbage',
      'fe80::1%lo',
      '127.0.0.1',
      '10.0.0.1',
    ]
    const gate = await openTestGate({ lookup, allow: `127.0.0.1:${site.port}` })
    expect(await sendRequest(gate, `http://mixed.test:${site.port}/`)).toMatch(/^HTTP\/1.1 204/)
    expect(reached).toEqual(['127.0.0.1'])
  })

  test('with several addresses is not reached at a forbidden one, even if the allowed one fails', async () => {
    const canary = await serveTcp()
    const lookup = async () => ['127.0.0.1', '127.0.0.2', '127.0.0.1']
    const gate = await openTestGate({ lookup, allow: '127.0.0.2', connectMs: 1_000 })
    const url = `http://mixed.test:${canary.port}/`
    expect(await sendRequest(gate, url)).toBe('')
    expect(canary.sockets.length).toBe(0)
    expect(gate.failureOf(url)?.detail).toMatch(/^127\.0\.0\.2, port /)
  })

  test('that is allowed is resolved to addresses, never to another name', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ lookup: async () => ['localhost', '127.1'], allow: 'odd.test' })
    expect(await tryTunnel(gate, `odd.test:${canary.port}`)).toBe('blocked')
    expect(canary.sockets.length).toBe(0)
  })

  test.each([[['::1']], [['fe80::1%lo', '0.0.0.0']], [['garbage']], [['127.0.0.1 ']], [['localhost']]])(
    'whose answers are %j is blocked',
    async (answers) => {
      const canary = await serveTcp()
      const gate = await openTestGate({ lookup: async () => answers })
      expect(await tryTunnel(gate, `odd.test:${canary.port}`)).toBe('blocked')
      expect(canary.sockets.length).toBe(0)
    },
  )

  test('that is rebound is looked up once per request, and the checked address is used', async () => {
    const site = await serveBytes('HTTP/1.1 204 No Content\r\n\r\n')
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1'], ['10.0.0.5']]
    let lookups = 0
    const lookup = async () => answers[lookups++] ?? []
    const gate = await openTestGate({ lookup, allow: `127.0.0.1:${site.port}` })
    const url = `http://rebound.test:${site.port}/`
    expect(await sendRequest(gate, url)).toMatch(/^HTTP\/1.1 204/)
    expect([lookups, site.sockets.length]).toEqual([1, 1])
    expect(await sendRequest(gate, url)).toBe('')
    expect(gate.failureOf(url)?.reason).toBe('blocked')
    expect((await openTunnel(gate, `rebound.test:${site.port}`)).status).toMatch(/ 200 /)
    expect(gate.failureOf(url)).toBeUndefined()
    expect(await tryTunnel(gate, `rebound.test:${site.port}`)).toBe('blocked')
    expect([lookups, site.sockets.length]).toEqual([4, 2])
  })

  test('is checked again for each request, even on a reused connection', async () => {
    const site = await serveHttp((_, answer) => void answer.end('ok'))
    let answers = ['127.0.0.1']
    const gate = await openTestGate({ lookup: async () => answers, allow: `127.0.0.1:${site.port}` })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const url = `http://rebound.test:${site.port}/`
    expect((await ask(gate, url, { agent })).body.toString()).toBe('ok')
    answers = ['10.0.0.5']
    await expect(ask(gate, url, { agent })).rejects.toThrow()
    agent.destroy()
    expect(site.sockets.length).toBe(1)
  })

  test('in CAPTURE_ALLOW is reached at any address, on its port', async () => {
    const site = await serveBytes('HTTP/1.1 204 No Content\r\n\r\n')
    const gate = await openTestGate({ lookup: async () => ['127.0.0.1'], allow: `*.internal:${site.port}` })
    expect((await openTunnel(gate, `A.Internal.:${site.port}`)).status).toMatch(/ 200 /)
    expect(await tryTunnel(gate, `internal:${site.port}`)).toBe('blocked')
    expect(await tryTunnel(gate, `a.internal:${site.port + 1}`)).toBe('blocked')
    expect(site.sockets.length).toBe(1)
  })

  test('with a fixed address is never looked up', async () => {
    const site = await serveHttp((asked, answer) => void answer.end(asked.headers.host))
    const fixedAddresses = new Map([['Demo.Test', { address: '127.0.0.1', port: site.port }]])
    const gate = await openTestGate({ fixedAddresses, lookup: () => Promise.reject(new Error('looked up')) })
    expect((await ask(gate, 'http://demo.test/')).body.toString()).toBe('demo.test')
    expect((await ask(gate, 'http://demo.test.:8080/')).body.toString()).toBe('demo.test:8080')
    // The fixed address belongs to the name only.
    expect(await tryTunnel(gate, `127.0.0.1:${site.port}`)).toBe('blocked')
    expect((await openTunnel(gate, 'other.demo.test:80')).status).toMatch(/ 502 /)
  })
})

describe('a request that is not meant for a proxy is refused', () => {
  const lines = (port: number) => [
    'GET / HTTP/1.1',
    `GET /http://127.0.0.1:${port}/ HTTP/1.1`,
    `GET https://127.0.0.1:${port}/ HTTP/1.1`,
    `GET ftp://127.0.0.1:${port}/ HTTP/1.1`,
    `GET ws://127.0.0.1:${port}/ HTTP/1.1`,
    `GET http:/127.0.0.1:${port}/ HTTP/1.1`,
    `GET http:127.0.0.1:${port}/ HTTP/1.1`,
    `GET http:///127.0.0.1:${port}/ HTTP/1.1`,
    `GET http:\\\\127.0.0.1:${port}/ HTTP/1.1`,
    `GET http://user@127.0.0.1:${port}/ HTTP/1.1`,
    `GET http://user:password@127.0.0.1:${port}/ HTTP/1.1`,
    `GET http://@127.0.0.1:${port}/ HTTP/1.1`,
    `GET http://127.0.0.1:${port}\\@example.com/ HTTP/1.1`,
    `GET http://127.0.0.1:${port}#fragment HTTP/1.1`,
    'GET http://127.0.0.1:0/ HTTP/1.1',
    'GET http://127.0.0.1:65536/ HTTP/1.1',
    'GET http://127.0.0.1:/ HTTP/1.1',
    'GET http://a..b/ HTTP/1.1',
    'GET http:// HTTP/1.1',
    'GET http://./ HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'CONNECT 127.0.0.1 HTTP/1.1',
    'CONNECT 127.0.0.1:0 HTTP/1.1',
    'CONNECT 127.0.0.1:99999 HTTP/1.1',
    'CONNECT :80 HTTP/1.1',
    `CONNECT user@127.0.0.1:${port} HTTP/1.1`,
    `CONNECT http://127.0.0.1:${port} HTTP/1.1`,
    `CONNECT 127.0.0.1:${port}/ HTTP/1.1`,
    `CONNECT [127.0.0.1]:${port} HTTP/1.1`,
    `CONNECT [::1%lo]:${port} HTTP/1.1`,
    `CONNECT ::1:${port} HTTP/1.1`,
    'PRI * HTTP/2.0',
    '\x16\x03\x01\x02\x00\x01\x00',
    `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3`,
  ]

  test('with 400, even if the address itself is allowed', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ allow: '127.0.0.1,::1,a' })
    for (const line of lines(canary.port)) {
      const answer = await sendBytes(
        gate,
        Buffer.from(`${line}\r\nHost: 127.0.0.1:${canary.port}\r\n\r\n`, 'latin1'),
      )
      expect([line, answer.split('\r\n')[0]]).toEqual([line, 'HTTP/1.1 400 Bad Request'])
    }
    expect(canary.sockets.length).toBe(0)
  })

  test('random bytes reach nothing and break nothing', async () => {
    const canary = await serveTcp()
    const gate = await openTestGate({ lookup: async () => ['127.0.0.1'] })
    const bytes = fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all).toString('latin1'))
    const start = fc.constantFrom(
      '',
      'GET http://',
      'CONNECT ',
      'GET http://127.0.0.1',
      `CONNECT 127.0.0.1:${canary.port}`,
    )
    const end = fc.constantFrom(
      '',
      ` HTTP/1.1\r\nHost: x\r\n\r\n`,
      `:${canary.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
    )
    await fc.assert(
      fc.asyncProperty(start, bytes, end, async (...parts) => {
        // A line that no request contains ends input for which the parser would wait.
        const answer = await sendBytes(gate, Buffer.from(`${parts.join('')}\r\n\0\r\n\r\n`, 'latin1'))
        expect(answer).toMatch(/^($|HTTP\/1.1 (400|431|502) )/)
      }),
      { numRuns: 300 },
    )
    expect(canary.sockets.length).toBe(0)
  })

  test('a second request before the first is answered ends the connection', async () => {
    const site = await serveTcp()
    const gate = await openTestGate({ allow: '127.0.0.1' })
    const one = `GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`
    expect(await sendBytes(gate, one + one)).toBe('')
    expect(await sendBytes(gate, `${one}CONNECT 127.0.0.1:${site.port} HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('')
    expect(site.sockets.length).toBeLessThan(3)
  })
})
