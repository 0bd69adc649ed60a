import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Given,
  keepRequest,
  openRequest,
  refillRequest,
  showRequest,
} from '../../src/capture/kept-request.ts'
import { isNothing } from '../../src/contract/options/given.ts'
import { CannotOpen, createKeyRing } from '../../src/secrets/key-ring.ts'
import { parseSecretKeys } from '../../src/secrets/secret-keys.ts'
import { ALL_OPTIONS } from '../support/store/all-options.ts'

const ring = createKeyRing(parseSecretKeys(`k1:${randomBytes(32).toString('base64')}`))
const place = 'template a b'
const keep = (given: Given) => keepRequest(given, ring, place)
const open = (given: Given, urls?: Given['urls']) => {
  const all = { bare: undefined, kept: undefined, ...openRequest(keep(given), ring, { place, urls }) }
  const { bare: _bare, kept: _kept, ...opened } = all
  return opened
}
/** The changed request with its secrets, and all that is wrong with it. */
const refill = (given: Given, changed: Given) => {
  const refilled = refillRequest(changed, keep(given), { ring, place })
  const { bare } = refilled
  const mistakes = refilled.mistakes.length > 0 ? refilled.mistakes : refilled.mistakesOfOptions()
  return { given: refilled.putSecretsIn(structuredClone(bare)), mistakes }
}
/** The request as a client reads it before changing it. */
const shown = (given: Given) => structuredClone(showRequest(keep(given))) as Given

const HOME = { url: 'https://a.example/', name: 'Home' }
const login = (field = '#p', username = 'ada-9f31', password = 'pass-9f31') => ({
  username: { elementId: '#u', username },
  password: { elementId: field, password },
  loginButton: { elementId: '#b' },
})
const EMPTY_LOGIN = login('#p', '', '')
const MUST_STAY = 'must stay as it is while secrets are kept: give the secrets again to change it'
const WINDOW = { width: 800, height: 600 }
const given = (parameter: object, ...urls: object[]): Given =>
  ({ screenshotParameter: { ...WINDOW, ...parameter }, urls: urls.length > 0 ? urls : [HOME] }) as Given

describe('a kept request', () => {
  const whole = given(
    {
      loginParameter: login(),
      headers: { authorization: 'Bearer 9f31', 'x~/y%': 'other-9f31' },
      cookies: [{ name: 'session', value: 'cookie-9f31' }],
      tags: ['x'],
    },
    { ...HOME, headers: { 'x-own': 'own-9f31' } },
  )

  test('is opened as it was given, and shows no secret', () => {
    const kept = keep(whole)
    expect(openRequest(kept, ring, { place }).given).toEqual(whole)
    expect(JSON.stringify(kept)).not.toContain('9f31')
    expect(showRequest(kept)).toEqual(
      given(
        {
          loginParameter: EMPTY_LOGIN,
          headers: { authorization: '', 'x~/y%': '' },
          cookies: [{ name: 'session', value: '' }],
          tags: ['x'],
        },
        { ...HOME, headers: { 'x-own': '' } },
      ),
    )
  })

  test('without secrets has no sealed text', () => {
    expect(keep(given({ tags: ['x'] }))).toEqual({
      request: JSON.stringify(given({ tags: ['x'] })),
      sealed: undefined,
    })
  })

  test('opens only in the place it was sealed for', () => {
    expect(() => openRequest(keep(whole), ring, { place: 'template a c' })).toThrow(CannotOpen)
  })

  test('keeps its secrets when it is sent back as shown', () => {
    expect(refill(whole, shown(whole))).toEqual({ given: whole, mistakes: [] })
  })

  test('accepts all secrets anew, with any options', () => {
    const anew = given({
      loginParameter: login('#q', 'bob', 'new'),
      css: 'p {}',
      headers: { authorization: 'x' },
    })
    expect(refill(whole, anew)).toEqual({ given: anew, mistakes: [] })
  })

  test('accepts no new secret beside a kept one', () => {
    const changed = shown(whole)
    Object.assign(changed.screenshotParameter, { loginParameter: login('#p', 'bob', '') })
    expect(refill(whole, changed).mistakes).toEqual([
      { pointer: '#/screenshotParameter/loginParameter', detail: MUST_STAY },
    ])
    Object.assign(changed.screenshotParameter, { loginParameter: login(), cookies: undefined })
    expect(refill(whole, changed).mistakes.map(({ pointer }) => pointer)).toEqual([
      ...['#/screenshotParameter/loginParameter', '#/screenshotParameter/cookies'],
    ])
  })
})

describe('a kept secret', () => {
  const shared = given({ headers: { authorization: 'Bearer 9f31' } })

  test.each([
    'https://b.example/',
    'http://a.example/',
    'https://a.example:8443/',
    'https://a.example.b.example/',
    'https://a.example/?html=<form>',
  ])('is not sent to another page: %s', (url) => {
    const detail = `must be given again: it was given for https://a.example/, and a page is at ${new URL(url).href}`
    const changed = { ...shown(shared), urls: [HOME, { url, name: 'Other' }] }
    expect(refill(shared, changed)).toEqual({
      given: changed,
      mistakes: [{ pointer: '#/screenshotParameter/headers/authorization', detail }],
    })
    expect(open(shared, [HOME, { url, name: 'Other' }])).toEqual({
      mistakes: [
        {
          pointer: '#/urls/1/url',
          detail: expect.stringContaining(
            'must be the address of a page that the kept secrets were given for',
          ),
        },
      ],
    })
  })

  test('is sent to other pages of its origin, and to no other origin, if otherPages was given with it', () => {
    const free = { ...shared, otherPages: true }
    const urls = [{ url: 'https://a.example/other', name: 'Other' }]
    expect(open(free, urls)).toEqual({ given: { ...shared, urls } })
    expect(refill(free, { ...shown(free), urls }).mistakes).toEqual([])
    expect(open(free, [{ url: 'https://b.example/', name: 'B' }]).mistakes).toEqual([
      { pointer: '#/urls/0/url', detail: 'must be of an origin that the kept secrets were given for' },
    ])
    expect(refill(shared, { ...shown(shared), otherPages: true }).mistakes).toEqual([
      { pointer: '#/otherPages', detail: MUST_STAY },
    ])
    const { otherPages: _, ...stricter } = shown(free)
    expect(refill(free, stricter).mistakes).toEqual([])
  })

  test('that a page replaces with its own is never sent to that page, nor to its origin', () => {
    const own = { url: 'https://b.example/', name: 'B', headers: { authorization: 'other' } }
    for (const otherPages of [true, false]) {
      const before = { ...given({ headers: { authorization: 'Bearer 9f31' } }, HOME, own), otherPages }
      expect(open(before, [{ url: 'https://b.example/', name: 'B' }]).mistakes).toHaveLength(1)
      expect(refill(before, { ...shown(before), urls: [{ url: own.url, name: 'B' }] }).mistakes).toHaveLength(
        1,
      )
      expect(refill(before, shown(before)).mistakes).toEqual([])
    }
  })

  test('is not checked against a limit: that would reveal its length', () => {
    const long = given({ headers: { authorization: 'x'.repeat(4_000) } })
    const { bare } = refillRequest(shown(long), keep(long), { ring, place })
    expect(JSON.stringify(bare)).toHaveLength(JSON.stringify(shown(long)).length + 1)
  })

  test('that has left an origin does not return to it', () => {
    const both = given({ headers: { a: '1' } }, HOME, { url: 'https://b.example/', name: 'B' })
    const one = refill(both, { ...shown(both), urls: [HOME] }).given as Given
    expect(refill(one, { ...shown(one), urls: both.urls }).mistakes).toHaveLength(1)
  })

  test.each([
    ['the field of the password', { ...EMPTY_LOGIN, password: { elementId: '#search', password: '' } }],
    ['the field of the name', { ...EMPTY_LOGIN, username: { elementId: '#search', username: '' } }],
    ['the button', { ...EMPTY_LOGIN, loginButton: { elementId: '#preview' } }],
    ['an origin', { ...EMPTY_LOGIN, origins: ['https://evil.example'] }],
  ])('of a login must be given again with %s', (_, loginParameter) => {
    const before = given({ loginParameter: login() })
    expect(refill(before, given({ loginParameter })).mistakes).toEqual([
      { pointer: '#/screenshotParameter/loginParameter', detail: MUST_STAY },
    ])
    const told = [{ pointer: '#/urls/0/loginParameter', detail: MUST_STAY }]
    const ofPage = given({}, { ...HOME, loginParameter: login() })
    expect(refill(ofPage, given({}, { ...HOME, loginParameter })).mistakes).toEqual(told)
    expect(open(ofPage, [{ ...HOME, loginParameter } as Given['urls'][number]]).mistakes).toEqual(told)
  })

  test('of a login may be replaced by a complete new login', () => {
    const anew = given({ loginParameter: login('#other', 'bob', 'new') })
    expect(refill(given({ loginParameter: login() }), anew)).toEqual({ given: anew, mistakes: [] })
  })

  test('of a cookie stays with the cookies that were given with it', () => {
    const cookies = (value: string, ...names: string[]) =>
      given({ cookies: names.map((name, index) => ({ name, value: value && `${value}${index}` })) })
    const before = cookies('x', 'a', 'b', 'b')
    expect(refill(before, cookies('', 'a', 'b', 'b'))).toEqual({ given: before, mistakes: [] })
    for (const names of [
      ['b', 'a', 'b'],
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'b', 'b', 'c'],
    ])
      expect(refill(before, cookies('', ...names)).mistakes).toEqual([
        { pointer: '#/screenshotParameter/cookies', detail: MUST_STAY },
      ])
  })

  test('of a page stays with its page: by URL and name, then by URL', () => {
    const page = (name: string, value: string, url = HOME.url) => ({ url, name, headers: { x: value } })
    const before = given({}, page('A', '1'), page('B', '2'), page('C', '3', 'https://c.example/'))
    const values = (...urls: object[]) =>
      (refill(before, given({}, ...urls)).given as Given).urls.map(({ headers }) => headers?.['x'])
    expect(values(page('B', ''), page('A', ''))).toEqual(['2', '1'])
    expect(values(page('C', '', 'https://c.example/'), page('B', ''))).toEqual(['3', '2'])
    expect(values(page('New', ''), page('B', ''))).toEqual(['1', '2'])
    expect(values(page('C', ''), page('C', '', 'https://d.example/'))).toEqual(['1', ''])
  })
})

describe('beside a kept secret', () => {
  const { failOn, tags, ...options } = ALL_OPTIONS
  const fields = Object.entries(options)
  const kept = { headers: { 'x-kept': 'header-9f31' } }
  const without = (name: string) => Object.fromEntries(fields.filter(([each]) => each !== name))
  const page = (more: object = {}) => ({ ...HOME, ...more }) as Given['urls'][number]
  const pointersOf = (mistakes: readonly { pointer: string; detail: string }[] = []) =>
    mistakes.map(({ pointer, detail }) => (detail === MUST_STAY ? pointer : `${pointer} ${detail}`))

  // Every option that a request can have is one of these: `ALL_OPTIONS` does not compile without a new one.
  test.each(fields)('%s cannot be added, changed or removed', (name, value) => {
    const at = [`#/screenshotParameter/${name}`]
    const bare =
      name === 'headers' ? given({ cookies: [{ name: 'kept', value: 'cookie-9f31' }] }) : given(kept)
    const [{ url, name: title }] = bare.urls as [Given['urls'][number]]
    const added = { [name]: typeof value === 'number' ? value + 1 : value }
    const run = { url, name: title, ...added } as Given['urls'][number]
    expect(pointersOf(open(bare, [run]).mistakes)).toContain(`#/urls/0/${name}`)
    const elsewhere = { ...run, url: `${url}other` }
    expect(pointersOf(open({ ...bare, otherPages: true }, [elsewhere]).mistakes)).toContain(
      `#/urls/0/${name}`,
    )
    const changed = shown(bare)
    Object.assign(changed.screenshotParameter, added)
    expect(pointersOf(refill(bare, changed).mistakes)).toContain(at[0])

    const full = given(options)
    const taken = shown(full)
    if (name === 'width' || name === 'height') Object.assign(taken.screenshotParameter, { [name]: 77 })
    else Reflect.deleteProperty(taken.screenshotParameter, name)
    expect(pointersOf(refill(full, taken).mistakes)).toEqual(at)
    const own = given(without(name), page({ [name]: value }))
    expect(pointersOf(open(own, [page()]).mistakes)).toContain(`#/urls/0/${name}`)
    expect(open(own, [page({ url: `${HOME.url}other` })]).mistakes).toBeDefined()
  })

  test('failOn cannot be changed either', () => {
    const before = { ...given(kept), failOn }
    const { failOn: _, ...changed } = shown(before)
    expect(pointersOf(refill(before, changed).mistakes)).toEqual(['#/failOn'])
    expect(pointersOf(refill(given(kept), { ...shown(given(kept)), failOn }).mistakes)).toEqual(['#/failOn'])
  })

  test.each([
    'HTTPS://a.example/',
    'https://A.example',
    'https://a.example:443/',
    'https://a.example/x/../',
    'https://a.example/./',
    'https:\\\\a.example',
    'https://a.example/ ',
  ])('%s keeps the options of its own page, not those of another', (url) => {
    const plain = { url: 'https://a.example/plain', name: 'Plain' }
    const kept = given({ headers: { 'x-token': 'one-9f31' } }, { ...HOME, hide: ['#token'] }, plain)
    const { hide: _, ...bare } = { hide: [], ...HOME, url }
    expect(open(kept, [bare]).mistakes).toEqual([{ pointer: '#/urls/0/hide', detail: MUST_STAY }])
    const changed = { ...shown(kept), urls: [bare, plain] }
    expect(refill(kept, changed).mistakes).toEqual([{ pointer: '#/urls/0/hide', detail: MUST_STAY }])
    expect(open(kept, [{ ...plain, url, hide: ['#token'] }]).mistakes).toBeUndefined()
  })

  test('names, tags, more time and the number of pages can be changed', () => {
    const before = given({ ...options, tags })
    const changed = shown(before)
    Object.assign(changed.screenshotParameter, { tags: ['other'], name: 'x' })
    changed.urls = [page({ loadingTime: 20_000 }), page({ name: 'Home again' })]
    expect(refill(before, changed).mistakes).toEqual([])
    expect(open(before, changed.urls).mistakes).toBeUndefined()
  })

  test('a page cannot have less time than before: its picture would be taken before a click', () => {
    const detail = expect.stringContaining('must not become less')
    const less = [{ pointer: '#/urls/0/loadingTime', detail }]
    const usual = given(options)
    const long = given(options, page({ loadingTime: 40_000 }))
    for (const [before, ...times] of [
      [usual, 1, 14_999],
      [long, 1, 39_999, undefined],
    ] as const) {
      for (const loadingTime of times) {
        const urls = [page(loadingTime === undefined ? {} : { loadingTime })]
        expect(refill(before, { ...shown(before), urls }).mistakes).toEqual(less)
        expect(open(before, urls).mistakes).toEqual(less)
      }
    }
    expect(open(usual, [page({ loadingTime: 15_000 })]).mistakes).toBeUndefined()
    expect(open(long, [page({ loadingTime: 40_000 })]).mistakes).toBeUndefined()
  })

  test('the same options may be written in another way', () => {
    const before = given({
      ...kept,
      fullPage: false,
      css: 'p {}',
      clicks: [{ elementId: '#a', loadingTime: 5 }],
    })
    const changed = shown(before)
    const { fullPage: _, width, height, ...rest } = changed.screenshotParameter
    const clicks = [{ loadingTime: 5, elementId: '#a' }]
    const sizes = [{ height, width }] as { height: number; width: number }[]
    const same = {
      ...rest,
      clicks,
      sizes,
      hide: [],
      waitFor: null,
    } as unknown as Given['screenshotParameter']
    expect(refill(before, { ...changed, screenshotParameter: same }).mistakes).toEqual([])
    const ofPage = { ...given(kept, page({ css: 'p {}' })), otherPages: true }
    expect(
      open(ofPage, [page({ css: 'p {}' }), page({ url: `${HOME.url}b`, css: 'p {}' })]).mistakes,
    ).toBeUndefined()
  })

  test('a page that gives all its secrets may have any options', () => {
    const brought = page({ css: 'p {}', headers: { 'x-kept': 'mine' }, clicks: [{ elementId: '#a' }] })
    expect(open(given(kept), [brought])).toEqual({ given: given(kept, brought) })
    const login = given({ ...kept, cookies: [{ name: 'a', value: '1' }] })
    expect(pointersOf(open(login, [brought]).mistakes)).toEqual(
      ['headers', 'css', 'clicks'].map((name) => `#/urls/0/${name}`),
    )
  })

  test('a page that gives nothing in place of secrets uses the kept ones', () => {
    for (const nothing of [null, {}]) {
      const changed = { ...shown(given(kept)), urls: [page({ css: 'p {}', headers: nothing })] }
      expect(pointersOf(refill(given(kept), changed).mistakes)).toEqual(['#/urls/0/css'])
    }
  })

  test('options that no page uses must stay, too: a later change could use them', () => {
    const before = given({ loginParameter: login() })
    const mine = login('#q', 'mine', 'mine')
    const moved = {
      ...given({ loginParameter: login('#q', '', ''), css: 'p {}' }, page({ loginParameter: mine })),
    }
    expect(pointersOf(refill(before, moved).mistakes)).toEqual([
      ...['#/screenshotParameter/loginParameter', '#/screenshotParameter/css'],
    ])
    // A page does not use the secret of all pages in place of its own either.
    const both = given({ loginParameter: login('#q') }, page({ loginParameter: mine, css: 'p {}' }))
    expect(open(both, [page({ css: 'p {}' })]).mistakes).toMatchObject([{ pointer: '#/urls/0/url' }])
  })
})

/** Requests with secrets that are all different, so that each can be followed. */
const anyGiven = (): fc.Arbitrary<Given> => {
  let counter = 0
  const secret = () => fc.constant(null).map(() => `secret-${counter++}`)
  const options = () =>
    fc.record(
      {
        headers: fc.dictionary(fc.constantFrom('x', 'Y', 'a~b', '__proto__', 'constructor'), secret()),
        cookies: fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: secret() }), {
          maxLength: 4,
        }),
        loginParameter: fc
          .tuple(fc.constantFrom('#p', '#q'), secret(), secret())
          .map(([field, name, password]) => login(field, name, password)),
      },
      { requiredKeys: [] },
    )
  const page = fc
    .tuple(
      fc.constantFrom('https://a.example/', 'https://a.example/2', 'https://b.example/'),
      fc.constantFrom('A', 'B'),
      options(),
    )
    .map(([url, name, own]) => ({ url, name, ...own }))
  return fc
    .tuple(options(), fc.array(page, { minLength: 1, maxLength: 4 }))
    .map(([shared, urls]) => given(shared, ...urls))
}

/** All secrets of a request, each with the page and the option that it goes to. */
function whereSecretsGo({ screenshotParameter, urls }: Given): [string, string][] {
  const found: [string, string][] = []
  const look = (value: unknown, url: string, at: string) => {
    if (typeof value === 'string' && value.startsWith('secret-')) found.push([value, `${url} ${at}`])
    else if (Array.isArray(value)) for (const each of value) look(each, url, `${at} ${each?.name}`)
    else if (typeof value === 'object' && value !== null) {
      const fields = JSON.stringify([Reflect.get(value, 'elementId')])
      for (const [name, each] of Object.entries(value)) look(each, url, `${at}/${name}${fields}`)
    }
  }
  for (const page of urls) {
    // An empty list of its own is nothing: the page takes the option of the request.
    const isTaken = ([name]: [string, unknown]) => isNothing(Reflect.get(page, name))
    look(Object.fromEntries(Object.entries(screenshotParameter).filter(isTaken)), page.url, 'shared')
    look(page, page.url, 'own')
  }
  return found
}

describe('property:', () => {
  test('any request is opened as it was given, and is shown without secrets', () => {
    fc.assert(
      fc.property(anyGiven(), (before) => {
        expect(open(before)).toEqual({ given: before })
        expect(refill(before, shown(before))).toEqual({ given: before, mistakes: [] })
        const { request, sealed } = keep(before)
        expect(request + sealed).not.toContain('secret-')
      }),
    )
  })

  test('a secret is only sent where it was sent before, whatever changes', () => {
    fc.assert(
      fc.property(anyGiven(), anyGiven(), (before, other) => {
        const allowed = new Set(whereSecretsGo(before).map(String))
        const blank = shown(other)
        const { given: filled, mistakes } = refill(before, blank)
        if (mistakes.length === 0)
          for (const each of whereSecretsGo(filled)) expect(allowed).toContain(String(each))
        const run = open(before, blank.urls)
        expect(run.given === undefined).toBe(run.mistakes !== undefined)
        for (const each of whereSecretsGo(run.given ?? given({}))) expect(allowed).toContain(String(each))
        for (const { pointer } of mistakes ?? []) expect(pointer).toMatch(/^#(\/[^/]+)+$/)
      }),
    )
  })

  test('any JSON can be refilled without an error, and is not modified', () => {
    fc.assert(
      fc.property(
        anyGiven(),
        fc.oneof(
          fc.jsonValue(),
          fc.record({ screenshotParameter: fc.jsonValue(), urls: fc.jsonValue() }),
          fc.record({
            urls: fc.array(
              fc.oneof(fc.jsonValue(), fc.record({ url: fc.jsonValue(), cookies: fc.jsonValue() })),
            ),
          }),
        ),
        (before, body) => {
          const { bare, mistakes } = refillRequest(body, keep(before), { ring, place })
          expect([bare, mistakes]).toEqual([body, []])
        },
      ),
    )
  })
})
