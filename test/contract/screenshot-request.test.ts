import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEVICES, type Device } from '../../src/contract/options/devices.ts'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { LIMITS } from '../support/http/limits.ts'
import { anyRequest, validRequest } from '../support/http/request-values.ts'
import { leadsInto, newPage, newRequest } from '../support/http/requests.ts'
import { rounds } from '../support/runner/rounds.ts'

const VIEW = { width: 1200, height: 720 }

const parse = (body: unknown, limits = LIMITS) => parseScreenshotRequest(body, limits)

function mistakesOf(body: unknown): string[] {
  return parse(body).mistakes?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? []
}

const withPage = (more: object) => ({ screenshotParameter: VIEW, urls: [{ ...newPage(), ...more }] })
const withView = (more: object) => ({ screenshotParameter: { ...VIEW, ...more }, urls: [newPage()] })

describe('an omitted value', () => {
  test('has a default: 15 s, no full page, no tags', () => {
    expect(parse(newRequest())).toEqual({
      asked: {
        options: { ...VIEW, fullPage: false, tags: [] },
        pages: [{ ...newPage(), loadingTime: 15_000 }],
      },
    })
  })

  test.each([null, [], {}])('may also be written as %j, everywhere: clients send that', (nothing) => {
    const body = {
      ...newRequest(),
      failOn: nothing,
      screenshotParameter: { ...VIEW, fullPage: nothing, tags: nothing, sizes: nothing, name: nothing },
      urls: [{ ...newPage(), loadingTime: nothing, width: nothing, fullPage: nothing }],
    }
    expect(parse(body)).toEqual(parse(newRequest()))
  })

  test('never exceeds the limits of the operator', () => {
    const { asked } = parse(newRequest(), { ...LIMITS, loadingMs: 4_000 })
    expect(asked?.pages[0]?.loadingTime).toBe(4_000)
  })
})

describe('a given value', () => {
  test('is accepted unchanged', () => {
    const url = 'HTTPS://Example.com:443/a/../b c?q="ü"&x=%zz#🦉'
    const name = ' “Größe” \\ \n\t🦉 '
    const body = {
      screenshotParameter: { width: 1, height: 3_000, fullPage: true, tags: ['b', 'a', 'a', '🦉'] },
      urls: [{ url, name, loadingTime: 1 }],
    }
    expect(parse(body).asked).toEqual({
      options: { width: 1, height: 3_000, fullPage: true, tags: ['b', 'a', 'a', '🦉'] },
      pages: [{ url, name, loadingTime: 1 }],
    })
  })

  test('may make an HTTP status a failure', () => {
    expect(parse({ ...newRequest(), failOn: 'status' }).asked).toMatchObject({
      options: { failOn: 'status' },
    })
  })

  test('keeps its place among the pages, even if it occurs twice', () => {
    const urls = [newPage(2), newPage(1), newPage(2)]
    const { asked } = parse({ screenshotParameter: VIEW, urls })
    expect(asked?.pages.map(({ url }) => url)).toEqual(urls.map(({ url }) => url))
  })
})

describe('each limit', () => {
  const text = (length: number) => 'x'.repeat(length)
  const address = (length: number) => `https://a.test/${text(length - 15)}`
  const tags = (count: number) => Array.from({ length: count }, () => 't')

  test.each([
    ['width', withView({ width: 2_000 }), withView({ width: 2_001 }), '#/screenshotParameter/width'],
    ['height', withView({ height: 3_000 }), withView({ height: 3_001 }), '#/screenshotParameter/height'],
    ['least width', withView({ width: 1 }), withView({ width: 0 }), '#/screenshotParameter/width'],
    [
      'loadingTime',
      withPage({ loadingTime: 20_000 }),
      withPage({ loadingTime: 20_001 }),
      '#/urls/0/loadingTime',
    ],
    ['least loadingTime', withPage({ loadingTime: 1 }), withPage({ loadingTime: 0 }), '#/urls/0/loadingTime'],
    ['url', withPage({ url: address(8_192) }), withPage({ url: address(8_193) }), '#/urls/0/url'],
    ['name', withPage({ name: text(500) }), withPage({ name: text(501) }), '#/urls/0/name'],
    ['shortest name', withPage({ name: 'x' }), withPage({ name: '' }), '#/urls/0/name'],
    ['tag', withView({ tags: [text(100)] }), withView({ tags: [text(101)] }), '#/screenshotParameter/tags/0'],
    ['tags', withView({ tags: tags(50) }), withView({ tags: tags(51) }), '#/screenshotParameter/tags'],
    ['urls', newRequest(3), newRequest(4), '#/urls'],
    ['fewest urls', newRequest(1), newRequest(0), '#/urls'],
  ])('%s: the limit is accepted, and a value beyond it is not', (_, most, more, pointer) => {
    expect(parse(most).mistakes).toBeUndefined()
    expect(parse(more).mistakes?.map((mistake) => mistake.pointer)).toEqual([pointer])
  })
})

describe('a mistake', () => {
  test.each([
    ['not an object', [], '# must be an object with screenshotParameter, urls'],
    ['null', null, '# must be an object with screenshotParameter, urls'],
    ['a text', 'x', '# must be an object with screenshotParameter, urls'],
    ['no parameters', { urls: [newPage()] }, '#/screenshotParameter must be an object with width, height'],
    ...['Status', '', true, 404, ['status'], { a: 1 }].map(
      (failOn) =>
        [`failOn as ${JSON.stringify(failOn)}`, { ...newRequest(), failOn }, '#/failOn must be "status"'] as [
          string,
          unknown,
          string,
        ],
    ),
    ['no urls', { screenshotParameter: VIEW }, '#/urls must be a list of 1 to 3 pages'],
    [
      'urls that are not a list',
      { screenshotParameter: VIEW, urls: {} },
      '#/urls must be a list of 1 to 3 pages',
    ],
    [
      'a page that is only a URL',
      { screenshotParameter: VIEW, urls: ['https://example.com'] },
      '#/urls/0 must be an object with url, name',
    ],
    [
      'no width',
      { screenshotParameter: { height: 1 }, urls: [newPage()] },
      '#/screenshotParameter/width must be a whole number from 1 to 2000',
    ],
    [
      'a width in words',
      withView({ width: '1200' }),
      '#/screenshotParameter/width must be a whole number from 1 to 2000',
    ],
    [
      'a broken width',
      withView({ width: 1.5 }),
      '#/screenshotParameter/width must be a whole number from 1 to 2000',
    ],
    [
      'fullPage as a number',
      withView({ fullPage: 1 }),
      '#/screenshotParameter/fullPage must be true or false',
    ],
    [
      'tags that are not a list',
      withView({ tags: 'a' }),
      '#/screenshotParameter/tags must be a list of at most 50 strings',
    ],
    [
      'a tag that is not a text',
      withView({ tags: ['a', 1] }),
      '#/screenshotParameter/tags/1 must be a string of 1 to 100 characters',
    ],
    [
      'no url',
      { screenshotParameter: VIEW, urls: [{ name: 'x' }] },
      '#/urls/0/url must be a string of 1 to 8192 characters',
    ],
    [
      'no name',
      { screenshotParameter: VIEW, urls: [{ url: 'https://example.com' }] },
      '#/urls/0/name must be a string of 1 to 500 characters',
    ],
    [
      'a loadingTime in words',
      withPage({ loadingTime: '15s' }),
      '#/urls/0/loadingTime must be a whole number from 1 to 20000',
    ],
    [
      'half a character',
      withPage({ name: 'a\ud800' }),
      '#/urls/0/name must not contain a NUL character or half of a surrogate pair',
    ],
    [
      'a character that no database can store',
      withPage({ name: 'a\0' }),
      '#/urls/0/name must not contain a NUL character or half of a surrogate pair',
    ],
    [
      'half a character in a tag',
      withView({ tags: ['\udfff'] }),
      '#/screenshotParameter/tags/0 must not contain a NUL character or half of a surrogate pair',
    ],
  ])('%s: reported once, with its place', (_, body, mistake) => {
    expect(mistakesOf(body)).toEqual([mistake])
  })

  test('does not hide another: all are reported at once, in the order of the body', () => {
    const body = {
      style: 'x',
      wishes: 1,
      screenshotParameter: { width: 0, height: '1', fullPage: 'no', tags: [''], scheduledTs: 1 },
      urls: [
        { url: 'ftp://a.test', name: '', loadingTime: -1 },
        null,
        { name: 'x', url: 'http://a.test', wishes: 1 },
      ],
    }
    expect(parse(body).mistakes?.map(({ pointer }) => pointer)).toEqual([
      '#/style',
      '#/wishes',
      '#/screenshotParameter/scheduledTs',
      '#/screenshotParameter/width',
      '#/screenshotParameter/height',
      '#/screenshotParameter/fullPage',
      '#/screenshotParameter/tags/0',
      '#/urls/0/url',
      '#/urls/0/name',
      '#/urls/0/loadingTime',
      '#/urls/1',
      '#/urls/2/wishes',
    ])
  })

  test('of a page is reported at its place', () => {
    const urls = [newPage(0), newPage(1), { ...newPage(2), url: 'nowhere' }]
    expect(mistakesOf({ screenshotParameter: VIEW, urls })).toEqual([
      '#/urls/2/url must be an address that begins with http:// or https://',
    ])
  })
})

describe('an option', () => {
  test.each([
    ['scheduledTs', 1_794_710_277_698],
    ['scheduleDescription', { value: 5, unit: 'm' }],
  ])('%s belongs to the request, and nowhere else', (name, when) => {
    const body = { screenshotParameter: VIEW, urls: [newPage()] }
    expect(mistakesOf({ ...body, [name]: when })).toEqual([])
    const wrong = { screenshotParameter: { ...VIEW, [name]: when }, urls: [{ ...newPage(), [name]: when }] }
    expect(mistakesOf(wrong)).toEqual(
      [`#/screenshotParameter/${name}`, `#/urls/0/${name}`].map((pointer) =>
        expect.stringContaining(`${pointer} is not known; known are `),
      ),
    )
  })

  test('that is unknown is reported with the known ones', () => {
    const body = {
      screenshotParameter: { ...VIEW, scale: 2 },
      urls: [{ ...newPage(), wait: 1 }],
      webhook: 'x',
    }
    expect(mistakesOf(body)).toEqual([
      '#/webhook is not known; known are screenshotParameter, urls, failOn, scheduledTs, scheduleDescription',
      expect.stringMatching(
        /^#\/screenshotParameter\/scale is not known; known are width, height, .*sizes, tags, name$/,
      ),
      expect.stringMatching(
        /^#\/urls\/0\/wait is not known; known are url, name, loadingTime, width, height, /,
      ),
    ])
  })

  test.each([
    ['fullpage', 'fullPage'],
    ['hieght', 'height'],
    ['tag', 'tags'],
    ['siizes', 'sizes'],
  ])('%s is not known, and %s is suggested', (name, meant) => {
    expect(mistakesOf(withView({ [name]: 1 }))).toEqual([
      `#/screenshotParameter/${name} is not known; did you mean ${meant}?`,
    ])
  })

  test('known in one place is not known in another', () => {
    const body = { ...newRequest(), width: 5, tags: [], loadingTime: 1 }
    expect(parse(body).mistakes?.map(({ pointer }) => pointer)).toEqual([
      '#/width',
      '#/tags',
      '#/loadingTime',
    ])
  })

  test('named like a property of every object is an option like any other', () => {
    const body = JSON.parse(
      `{"__proto__":{"urls":[]},"constructor":1,"screenshotParameter":{"__proto__":{"width":1},"height":1},"urls":[${JSON.stringify(newPage())}]}`,
    )
    expect(parse(body).mistakes?.map(({ pointer }) => pointer)).toEqual([
      '#/__proto__',
      '#/constructor',
      '#/screenshotParameter/__proto__',
      '#/screenshotParameter/width',
    ])
  })

  test.each([
    ['a/b~c', '#/a~1b~0c'],
    ['', '#/'],
    ['50% off', '#/50%25%20off'],
    ['größe', '#/gr%C3%B6%C3%9Fe'],
    ['"#"', '#/%22%23%22'],
    ['half \ud83e', '#/half%20%EF%BF%BD'],
  ])('%j has a pointer that is a URI fragment', (name, pointer) => {
    expect(parse({ ...newRequest(), [name]: 1 }).mistakes?.map((mistake) => mistake.pointer)).toEqual([
      pointer,
    ])
  })

  test('with a very long name is reported without it, and once', () => {
    const body = { ...newRequest(), ['x'.repeat(201)]: 1, ['y'.repeat(1_000_000)]: 1, ['z'.repeat(200)]: 1 }
    const known =
      'is not known; known are screenshotParameter, urls, failOn, scheduledTs, scheduleDescription'
    expect(mistakesOf(body)).toEqual([
      `# has a field with a name of more than 200 characters, which ${known}`,
      `#/${'z'.repeat(200)} ${known}`,
    ])
  })

  test('of five thousand kinds is not reported five thousand times', () => {
    const body = {
      ...newRequest(),
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, 1])),
    }
    expect(parse(body).mistakes).toHaveLength(100)
  })
})

describe('a URL', () => {
  test.each([
    'http://a',
    'https://example.com',
    'HTTPS://EXAMPLE.COM/',
    'https://例え.テスト/ü?q=ü',
    'http://127.0.0.1:8080/',
    'http://[::1]/',
    'https://@example.com/',
  ])('%s is valid', (url) => {
    expect(mistakesOf(withPage({ url }))).toEqual([])
  })

  test.each([
    'example.com',
    '//example.com',
    '/path',
    'https://',
    'https:example.com',
    'https:/example.com',
    ' https://example.com',
    '\thttps://example.com',
    'ht\ntps://example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'view-source:http://a',
    'chrome://version',
    'about:blank',
    'http://a b/',
    `http://a${'\u0301'.repeat(31)}/`,
    'http://a:99999/',
  ])('%j is not valid', (url) => {
    expect(mistakesOf(withPage({ url }))).toEqual([
      '#/urls/0/url must be an address that begins with http:// or https://',
    ])
  })

  test('property: is valid if a parser accepts it and its text begins with a scheme', () => {
    const part = fc.constantFrom(
      'http',
      'https',
      'HTTPS',
      ':',
      '/',
      '//',
      '\\',
      '?',
      '#',
      '@',
      '.',
      'a',
      'b.c',
      ' ',
    )
    const odd = fc.constantFrom(
      '\t',
      '\n',
      '\r',
      '\0',
      '\u0001',
      '%41',
      '%',
      '[::1]',
      '127.1',
      ':80',
      ':x',
      'ü',
      '\u0301',
    )
    const address = fc
      .tuple(fc.constantFrom('http://', 'https://', ''), fc.array(fc.oneof(part, odd), { minLength: 1 }))
      .map(([begin, parts]) => begin + parts.join(''))
      .filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(address, (url) => {
        const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null
        const secret =
          parsed?.username || parsed?.password
            ? ['#/urls/0/url must not contain a user name or a password']
            : []
        const none = ['#/urls/0/url must be an address that begins with http:// or https://']
        expect([url, mistakesOf(withPage({ url }))]).toEqual([url, parsed ? secret : none])
      }),
      { numRuns: 2_000 },
    )
  })

  test.each(['https:///', 'https://\t/\\'])('behind %j must name a host of limited length, too', (begin) => {
    expect(mistakesOf(withPage({ url: `${begin}${'a.'.repeat(200)}/` }))).toEqual([
      '#/urls/0/url must name a host in at most 260 characters',
    ])
  })

  test('must name a host as short as DNS requires', () => {
    const named = (length: number) =>
      withPage({ url: `https://${'a.'.repeat(length / 2)}/${'x'.repeat(500)}` })
    expect(mistakesOf(named(260))).toEqual([])
    expect(mistakesOf(named(262))).toEqual(['#/urls/0/url must name a host in at most 260 characters'])
  })

  test.each(['https://user@example.com/', 'https://user:pass@example.com/', 'https://:pass@example.com/'])(
    '%s is refused: it would show a secret to every reader',
    (url) => {
      expect(mistakesOf(withPage({ url }))).toEqual([
        '#/urls/0/url must not contain a user name or a password',
      ])
    },
  )
})

/** A page with a device has its window, too. */
function expectedPage({
  url,
  name,
  loadingTime = 15_000,
  ...own
}: {
  url: string
  name: string
  loadingTime?: number
  device?: Device
}) {
  const [width, height] = own.device ? DEVICES[own.device] : []
  const ownOptions = own.device ? { width, height, ...own } : own
  return { url, name, loadingTime, ...(Object.keys(own).length > 0 && { ownOptions }) }
}

describe('any JSON', () => {
  test('is accepted or refused, and every mistake points into it or just beyond', () => {
    let taken = 0
    fc.assert(
      fc.property(anyRequest, (body) => {
        const { asked, mistakes } = parse(body)
        if (asked) taken++
        expect(asked === undefined).toBe(mistakes !== undefined && mistakes.length > 0)
        for (const { pointer } of mistakes ?? [])
          expect([pointer, leadsInto(body, pointer)]).toEqual([pointer, true])
        const places = mistakes?.map(({ pointer }) => pointer) ?? []
        expect(new Set(places).size).toBe(places.length)
      }),
      { numRuns: rounds(600) },
    )
    // Otherwise the more important half was never tried.
    expect(taken).toBeGreaterThan(6)
  })

  test('that is valid is accepted unchanged', () => {
    fc.assert(
      fc.property(validRequest(LIMITS), (body) => {
        const failOn = body.failOn ? { failOn: body.failOn } : {}
        expect(parse(body)).toEqual({
          asked: {
            options: { fullPage: false, tags: [], ...body.screenshotParameter, ...failOn },
            pages: body.urls.map(expectedPage),
          },
        })
      }),
      { numRuns: rounds(200) },
    )
  })
})
