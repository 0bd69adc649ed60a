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
import { CannotOpen, createKeyRing } from '../../src/secrets/key-ring.ts'
import { parseSecretKeys } from '../../src/secrets/secret-keys.ts'

const ring = createKeyRing(parseSecretKeys(`k1:${randomBytes(32).toString('base64')}`))
const place = 'template a b'
const keep = (given: Given) => keepRequest(given, ring, place)
const open = (given: Given, urls?: Given['urls']) => openRequest(keep(given), ring, { place, urls })
/** The changed request with its secrets, and all that is wrong with it. */
const refill = (given: Given, changed: Given) => {
  const { given: filled, mistakes, mistakesOfOptions } = refillRequest(changed, keep(given), { ring, place })
  return { given: filled, mistakes: mistakes.length > 0 ? mistakes : mistakesOfOptions(filled) }
}
/** What a client reads, to change it. */
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

  test('comes back as it was given, and shows no secret', () => {
    const kept = keep(whole)
    expect(openRequest(kept, ring, { place })).toEqual({ given: whole })
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

  test('opens only in its place', () => {
    expect(() => openRequest(keep(whole), ring, { place: 'template a c' })).toThrow(CannotOpen)
  })

  test('keeps its secrets when it is sent back as it was read', () => {
    expect(refill(whole, shown(whole))).toEqual({ given: whole, mistakes: [] })
  })

  test('takes all secrets anew, with any options', () => {
    const anew = given({
      loginParameter: login('#q', 'bob', 'new'),
      css: 'p {}',
      headers: { authorization: 'x' },
    })
    expect(refill(whole, anew)).toEqual({ given: anew, mistakes: [] })
  })

  test('takes no secret beside one that is kept', () => {
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
  ])('goes to no other origin: %s', (url) => {
    const detail = `must be given again: it was given for https://a.example, and a page is at ${new URL(url).origin}`
    const changed = { ...shown(shared), urls: [HOME, { url, name: 'Other' }] }
    expect(refill(shared, changed)).toEqual({
      given: changed,
      mistakes: [{ pointer: '#/screenshotParameter/headers/authorization', detail }],
    })
    expect(open(shared, [HOME, { url, name: 'Other' }])).toEqual({
      mistakes: [
        { pointer: '#/urls/1/url', detail: 'must be of an origin that the kept secrets were given for' },
      ],
    })
  })

  test('goes to other pages of its origin', () => {
    const urls = [{ url: 'https://a.example/other', name: 'Other' }]
    expect(open(shared, urls)).toEqual({ given: { ...shared, urls } })
  })

  test('that has left an origin does not come back to it', () => {
    const both = given({ headers: { a: '1' } }, HOME, { url: 'https://b.example/', name: 'B' })
    const one = refill(both, { ...shown(both), urls: [HOME] }).given as Given
    expect(refill(one, { ...shown(one), urls: both.urls }).mistakes).toHaveLength(1)
  })

  test.each([
    ['the field of the password', { ...EMPTY_LOGIN, password: { elementId: '#search', password: '' } }],
    ['the field of the name', { ...EMPTY_LOGIN, username: { elementId: '#search', username: '' } }],
    ['the button', { ...EMPTY_LOGIN, loginButton: { elementId: '#preview' } }],
    ['an origin', { ...EMPTY_LOGIN, origins: ['https://evil.example'] }],
  ])('of a login is given again with %s', (_, loginParameter) => {
    const before = given({ loginParameter: login() })
    expect(refill(before, given({ loginParameter })).mistakes).toEqual([
      { pointer: '#/screenshotParameter/loginParameter', detail: MUST_STAY },
    ])
    const told = [{ pointer: '#/urls/0/loginParameter', detail: MUST_STAY }]
    const ofPage = given({}, { ...HOME, loginParameter: login() })
    expect(refill(ofPage, given({}, { ...HOME, loginParameter })).mistakes).toEqual(told)
    expect(open(ofPage, [{ ...HOME, loginParameter } as Given['urls'][number]]).mistakes).toEqual(told)
  })

  test('of a login that is given anew asks for nothing', () => {
    const anew = given({ loginParameter: login('#other', 'bob', 'new') })
    expect(refill(given({ loginParameter: login() }), anew)).toEqual({ given: anew, mistakes: [] })
  })

  test('of a cookie stays with the cookies that it was given with', () => {
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

  test('of a page stays with its page: by address and name, then by address', () => {
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

/** All secrets of a request, each with the origin and the option that it goes to. */
function whereSecretsGo({ screenshotParameter, urls }: Given): [string, string][] {
  const found: [string, string][] = []
  const look = (value: unknown, origin: string, at: string) => {
    if (typeof value === 'string' && value.startsWith('secret-')) found.push([value, `${origin} ${at}`])
    else if (Array.isArray(value)) for (const each of value) look(each, origin, `${at} ${each?.name}`)
    else if (typeof value === 'object' && value !== null) {
      const fields = JSON.stringify([Reflect.get(value, 'elementId')])
      for (const [name, each] of Object.entries(value)) look(each, origin, `${at}/${name}${fields}`)
    }
  }
  for (const page of urls) {
    const { origin } = new URL(page.url)
    look(screenshotParameter, origin, 'shared')
    look(page, origin, page.url)
  }
  return found
}

describe('property:', () => {
  test('any request comes back whole, and what is shown has no secret', () => {
    fc.assert(
      fc.property(anyGiven(), (before) => {
        expect(open(before)).toEqual({ given: before })
        expect(refill(before, shown(before))).toEqual({ given: before, mistakes: [] })
        const { request, sealed } = keep(before)
        expect(request + sealed).not.toContain('secret-')
      }),
    )
  })

  test('a secret goes only where it went before, whatever the change', () => {
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

  test('any JSON can be refilled without an error, and stays what it is', () => {
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
          const { given: filled, mistakes } = refillRequest(body, keep(before), { ring, place })
          expect([filled, mistakes]).toEqual([body, []])
        },
      ),
    )
  })
})
