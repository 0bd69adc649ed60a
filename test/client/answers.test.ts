import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient, NoAnswerError, ProblemError } from '../../src/client/client.ts'
import { type BareAnswer, json, serveBare } from '../support/http/bare-server.ts'
import { newRequest } from '../support/http/requests.ts'
import { freePort } from '../support/servers/ports.ts'

const PROJECT = '11111111-1111-4111-8111-111111111111'
const KEY = 'psk_0123456789abcdefghij'

/** The error or result of asking a server with this answer. */
async function failure(answer: BareAnswer): Promise<unknown> {
  const { url } = await serveBare(answer)
  return await createClient({ server: url, key: KEY })
    .getProject(PROJECT)
    .then((value) => expect.fail(`answered ${JSON.stringify(value)}`))
    .catch((error) => error)
}

async function problem(answer: BareAnswer): Promise<ProblemError> {
  const error = await failure(answer)
  expect(error).toBeInstanceOf(ProblemError)
  return error as ProblemError
}

function answer(
  status: number,
  body: string,
  type = 'application/problem+json',
  more: Record<string, string> = {},
): BareAnswer {
  return (response) => response.writeHead(status, { 'content-type': type, ...more }).end(body)
}

describe('a problem', () => {
  test('has everything that the server said', async () => {
    const errors = [{ pointer: '#/urls/0', detail: 'must be' }]
    const said = {
      ...{ type: 'about:blank', title: 'The request is not valid', status: 400, code: 'bad_request' },
      ...{ detail: 'see errors', errors, requestId: 'r-1' },
    }
    const error = await problem(answer(400, JSON.stringify(said)))
    expect(error).toMatchObject({
      ...{ name: 'ProblemError', message: 'see errors', status: 400, code: 'bad_request' },
      ...{ detail: 'see errors', errors, requestId: 'r-1', retryAfter: undefined },
    })
  })

  test('without a detail has its title as message, and keeps an unknown code', async () => {
    const error = await problem(answer(418, '{"title":"I am a teapot","code":"teapot"}'))
    expect(error).toMatchObject({ message: 'I am a teapot', code: 'teapot', detail: undefined, errors: [] })
  })

  test.each([
    ['seconds', '120', 120],
    ['a date', new Date(Date.now() + 60_000).toUTCString(), expect.closeTo(60, -1)],
    ['a past date', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['something else', 'soon', undefined],
  ])('says when to retry: %s', async (_, header, retryAfter) => {
    const error = await problem(answer(429, '{"code":"rate_limited"}', undefined, { 'retry-after': header }))
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfter })
  })

  test('of another server is a ProblemError, too, with its request id', async () => {
    const page = '<html><h1>502 Bad Gateway</h1></html>'
    const error = await problem(answer(502, page, 'text/html', { 'x-request-id': 'r-2', 'retry-after': '7' }))
    expect(error).toMatchObject({
      ...{ status: 502, code: 'unexpected_answer', requestId: 'r-2', retryAfter: 7, errors: [] },
      message: 'answered 502, but not as this service does',
    })
  })

  test.each(['', '[]', 'null', '"text"', '{', '{}', '{"code":5}', '{"code":null,"detail":"x"}'])(
    'with the body %j is not one of the service',
    async (body) => {
      expect(await problem(answer(500, body))).toMatchObject({ status: 500, code: 'unexpected_answer' })
    },
  )

  test('ignores fields of the wrong type', async () => {
    const body = '{"code":"internal","title":7,"detail":{},"errors":"all","requestId":[]}'
    expect(await problem(answer(500, body))).toMatchObject({
      ...{ code: 'internal', message: 'answered 500', detail: undefined, errors: [], requestId: undefined },
    })
  })

  test('whose body breaks off still has its status', async () => {
    const error = await problem((response) => {
      response.writeHead(503, { 'content-length': '500' }).write('{"code":')
      setTimeout(() => response.destroy(), 20)
    })
    expect(error).toMatchObject({ status: 503, code: 'unexpected_answer' })
  })
})

describe('a successful answer', () => {
  test.each(['<html>Please log in</html>', '', '{"rootId":'])('that is not JSON throws: %j', async (body) => {
    expect(await problem(answer(200, body, 'text/html'))).toMatchObject({
      ...{ status: 200, code: 'unexpected_answer', message: 'answered 200, but not with JSON' },
    })
  })

  test.each<[string, BareAnswer]>([
    [
      'that is shorter than it says',
      (response) => {
        response.writeHead(200, { 'content-length': '500' }).write('{"projectId":')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    [
      'with a chunk that never ends',
      (response) => {
        response.writeHead(200).write('{}')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    [
      'with an invalid chunk',
      (response) =>
        response.socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n'),
    ],
    ['that is not HTTP', (response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n')],
    ['that is empty', (response) => response.socket?.destroy()],
  ])('that breaks off throws NoAnswerError: %s', async (_, broken) => {
    const error = (await failure(broken)) as NoAnswerError
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error.name).toBe('NoAnswerError')
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+ does not answer: \S/)
    expect(error.cause).toBeInstanceOf(Error)
  })
})

test('without a server, the error says which server and why', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const server = `http://${host}:${await freePort()}`
    const error = await createClient({ server })
      .getProject(PROJECT)
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error.message).toMatch(/^http:\/\/\S+ does not answer: .*ECONNREFUSED/)
  }
})

describe('an abort throws the reason of the signal', () => {
  const never: BareAnswer = () => {}
  const half: BareAnswer = (response) => response.writeHead(200).write('{"half":')
  const halfRefused: BareAnswer = (response) => response.writeHead(500).write('{"half":')

  test.each([
    ['before', never, 0],
    ['while nothing arrives', never, 50],
    ['during an answer', half, 80],
    ['during a refusal', halfRefused, 80],
  ])('%s', async (_, answered, ms) => {
    const { url } = await serveBare(answered)
    const client = createClient({ server: url })
    const plain = new AbortController()
    if (ms === 0) plain.abort()
    else setTimeout(() => plain.abort(), ms)
    await expect(client.getProject(PROJECT, { signal: plain.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    const reason = new Error('changed my mind')
    const own = new AbortController()
    if (ms === 0) own.abort(reason)
    else setTimeout(() => own.abort(reason), ms)
    await expect(client.getProject(PROJECT, { signal: own.signal })).rejects.toBe(reason)
    const pages = client.listRoots(PROJECT, { signal: AbortSignal.timeout(ms) })
    await expect(pages.next()).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('the key', () => {
  test('is sent in one header and is in no URL', async () => {
    const { url, asked } = await serveBare(json({}))
    const client = createClient({ server: url, key: ` ${KEY}\n` })
    await client.getProject(PROJECT)
    await client.requestScreenshots(PROJECT, newRequest())
    await client.fetchPicture(PROJECT, PROJECT, PROJECT)
    for (const { path, headers } of asked) {
      expect(headers.authorization).toBe(`Bearer ${KEY}`)
      const { authorization: _, ...others } = headers
      expect(path + JSON.stringify(others)).not.toContain(KEY)
    }
    expect(client.archiveAddress(PROJECT, PROJECT) + client.pictureAddress(PROJECT, PROJECT, PROJECT)).toBe(
      `${url}/api/projects/${PROJECT}/screenshots/root/${PROJECT}/pictures.zip` +
        `${url}/api/projects/${PROJECT}/screenshots/root/${PROJECT}/pictures/${PROJECT}`,
    )
    await createClient({ server: url }).getProject(PROJECT)
    expect(asked.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('is not sent to the target of a redirect', async () => {
    const elsewhere = await serveBare(json({}))
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [elsewhere.url, '/login']) {
        const { url, asked } = await serveBare((response) => response.writeHead(status, { location }).end())
        const client = createClient({ server: url, key: KEY })
        for (const asking of [client.getProject(PROJECT), client.requestScreenshots(PROJECT, newRequest())]) {
          await expect(asking).rejects.toMatchObject({
            ...{
              status,
              code: 'unexpected_answer',
              message: `answered ${status}: redirects are not followed`,
            },
          })
        }
        expect(asked).toHaveLength(2)
      }
    }
    expect(elsewhere.asked).toEqual([])
  })

  test('is not sent to the target of a redirect in a browser', async () => {
    const redirect = {
      ok: false,
      status: 0,
      type: 'opaqueredirect',
      headers: new Headers(),
      text: async () => '',
    }
    const client = createClient({ server: '', fetch: async () => redirect as unknown as Response })
    await expect(client.getProject(PROJECT)).rejects.toMatchObject({
      ...{
        status: 0,
        code: 'unexpected_answer',
        message: 'answered with a redirect: redirects are not followed',
      },
    })
  })

  test('is not sent to another server: the next list page comes from the first server', async () => {
    const elsewhere = await serveBare(json([]))
    const link = `<${elsewhere.url}/api/other/path?limit=1&cursor=c2>; rel="next"`
    const { url, asked } = await serveBare(json([1], { link }), json([2]))
    const client = createClient({ server: `${url}/behind/a/proxy/`, key: KEY })
    const path = `/behind/a/proxy/api/projects/${PROJECT}/screenshots/root`
    expect(await Array.fromAsync(client.listRoots(PROJECT, { limit: 1 }))).toEqual([[1], [2]])
    expect(asked.map((each) => [each.path, each.headers.authorization])).toEqual([
      [`${path}?limit=1`, `Bearer ${KEY}`],
      [`${path}?limit=1&cursor=c2`, `Bearer ${KEY}`],
    ])
    expect(elsewhere.asked).toEqual([])
  })

  test('appears in no error', async () => {
    const refused = createClient({ server: `http://127.0.0.1:${await freePort()}`, key: KEY })
    const errors = [
      await failure(answer(502, '<html>')),
      await failure(answer(401, '{"code":"unauthorized"}')),
      await failure(answer(200, '<html>')),
      await failure((response) => response.socket?.destroy()),
      await failure((response) => response.writeHead(302, { location: '/' }).end()),
      await refused.getProject(PROJECT).catch((error) => error),
      await refused.requestScreenshots(PROJECT, newRequest()).catch((error) => error),
    ]
    expect(errors).toHaveLength(7)
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error)
      const shown = inspect(error, { depth: null, showHidden: true }) + String(error) + JSON.stringify(error)
      expect(shown).not.toContain(KEY)
    }
    expect(inspect(refused, { depth: null, showHidden: true })).not.toContain(KEY)
  })

  test.each(['a\nb', 'a\r\nx-other: 1', 'schlüssel', '🔑', 'a b', '\0', ''])(
    'that is invalid is refused, and the error does not contain it: %j',
    (key) => {
      expect(() => createClient({ server: 'http://x', key })).toThrow(
        new TypeError('the key must consist of visible ASCII characters'),
      )
    },
  )

  test('must not be in the URL of the server', () => {
    for (const server of ['http://me:secret@x', `https://${KEY}@x/`]) {
      expect(() => createClient({ server })).toThrow(/^the server address must not have/)
    }
  })
})

describe('a request URL', () => {
  test('stays below its path, whatever an id contains', async () => {
    const { url, asked } = await serveBare(json({}))
    const client = createClient({ server: url })
    const ids = ['..', '.', '', '../..', 'a/b', 'a?b=c', 'a#b', '%2e%2e', '\\', 'ü', '\ud800', ' ']
    for (const id of ids) await client.getProject(id)
    expect(asked.map(({ path }) => path.replace('/api/projects/', ''))).toEqual([
      ...['-', '-', '', '..%2F..', 'a%2Fb', 'a%3Fb%3Dc', 'a%23b', '%252e%252e', '%5C', '%C3%BC'],
      ...['%EF%BF%BD', '%20'],
    ])
  })

  test('has the given parameters and no others', async () => {
    const { url, asked } = await serveBare(json([]))
    const client = createClient({ server: url })
    const more = { limit: 3, q: 'a&b=c', tag: '', cursor: 'x' }
    for await (const _ of client.listOverviews(PROJECT, more));
    for await (const _ of client.listRoots(PROJECT, { tag: 'release 1', limit: undefined }));
    for await (const _ of client.listHistory(PROJECT, 'https://example.com/?a=1&b#c'));
    await client.getStatus(PROJECT, PROJECT, { wait: 30 })
    expect(asked.map(({ path }) => path.replace(/^.*\//, ''))).toEqual([
      'overview?limit=3&q=a%26b%3Dc',
      'root?tag=release+1',
      'history?url=https%3A%2F%2Fexample.com%2F%3Fa%3D1%26b%23c',
      'status?wait=30',
    ])
  })

  test('the given fetch is used', async () => {
    const asked: unknown[] = []
    const given: typeof fetch = async function (this: unknown, address, init) {
      asked.push([this, address, init?.method])
      return Response.json({ projectId: PROJECT })
    }
    const client = createClient({ server: '', fetch: given })
    expect(await client.getProject(PROJECT)).toEqual({ projectId: PROJECT })
    expect(asked).toEqual([[undefined, `/api/projects/${PROJECT}`, 'GET']])
  })
})

describe('list pages', () => {
  test('are fetched one by one, as needed', async () => {
    const { url, asked } = await serveBare((response, request, count) =>
      json([count], { link: `<?cursor=${count}>; rel=next` })(response, request, count),
    )
    const seen: unknown[] = []
    for await (const page of createClient({ server: url }).listRoots(PROJECT)) {
      expect(asked).toHaveLength(seen.push(page))
      if (seen.length === 3) break
    }
    expect(seen).toEqual([[1], [2], [3]])
    expect(asked).toHaveLength(3)
  })

  test('that link to themselves end with an error', async () => {
    const { url } = await serveBare(json([1], { link: '<?cursor=1>; rel=next' }))
    const pages = createClient({ server: url }).listRoots(PROJECT)
    expect((await pages.next()).value).toEqual([1])
    expect((await pages.next()).value).toEqual([1])
    await expect(pages.next()).rejects.toMatchObject({ code: 'unexpected_answer' })
  })
})

describe('a request for screenshots', () => {
  const idempotencyKeys = (asked: readonly { headers: Record<string, unknown> }[]) =>
    asked.map(({ headers }) => headers['idempotency-key'])

  test('has a new idempotency key, or the given one', async () => {
    const { url, asked } = await serveBare(json({ jobId: 'r' }))
    const client = createClient({ server: url })
    for (const idempotencyKey of [undefined, undefined, 'mine']) {
      expect(await client.requestScreenshots(PROJECT, newRequest(), { idempotencyKey })).toEqual({
        jobId: 'r',
      })
    }
    const [one, other, mine] = idempotencyKeys(asked)
    expect([one, other]).toEqual([
      expect.stringMatching(/^[\x21-\x7e]{16,255}$/),
      expect.stringMatching(/^[\x21-\x7e]{16,255}$/),
    ])
    expect([one !== other, mine]).toEqual([true, 'mine'])
  })

  test.each<[string, BareAnswer]>([
    ['arrives', (response) => response.socket?.destroy()],
    [
      'arrives completely',
      (response) => {
        response.writeHead(201).write('{"jobId":')
        setTimeout(() => response.destroy(), 20)
      },
    ],
  ])('is repeated once, with the same key, if no answer %s', async (_, broken) => {
    const once = await serveBare(broken, json({ jobId: 'r' }))
    expect(await createClient({ server: once.url }).requestScreenshots(PROJECT, newRequest())).toEqual({
      jobId: 'r',
    })
    expect(once.asked).toHaveLength(2)
    expect(new Set(idempotencyKeys(once.asked)).size).toBe(1)
    const twice = await serveBare(broken)
    await expect(
      createClient({ server: twice.url }).requestScreenshots(PROJECT, newRequest()),
    ).rejects.toBeInstanceOf(NoAnswerError)
    expect(twice.asked).toHaveLength(2)
  })

  test('is not repeated after an answer or an abort', async () => {
    const { url, asked } = await serveBare(answer(503, '{"code":"no_browser"}'))
    const client = createClient({ server: url })
    await expect(client.requestScreenshots(PROJECT, newRequest())).rejects.toMatchObject({
      code: 'no_browser',
    })
    expect(asked).toHaveLength(1)
    const stop = new AbortController()
    const reason = new Error('changed my mind')
    let askedInVain = 0
    const nobody: typeof fetch = async (_, init) => {
      init?.signal?.throwIfAborted()
      askedInVain++
      // During the pause before the request would be repeated.
      setImmediate(() => stop.abort(reason))
      throw new TypeError('fetch failed')
    }
    await expect(
      createClient({ server: 'http://x', fetch: nobody }).requestScreenshots(PROJECT, newRequest(), {
        signal: stop.signal,
      }),
    ).rejects.toBe(reason)
    expect(askedInVain).toBe(1)
  })
})
