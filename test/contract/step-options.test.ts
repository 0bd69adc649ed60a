import { describe, expect, test } from 'vitest'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { LOGIN } from '../support/camera/login-site.ts'
import { newPage } from '../support/http/requests.ts'

const LIMITS = {
  ...{ urls: 3, loadingMs: 20_000, viewportWidth: 2_000, viewportHeight: 3_000 },
  picturePixels: 67_108_864,
}
const VIEW = { width: 1200, height: 720 }

const STEPS = {
  loginParameter: LOGIN,
  clicks: [{ elementId: '#menu', loadingTime: 20_000 }, { elementId: 'more' }],
  waitFor: '#chart',
  delay: 20_000,
  hide: ['.chat', '#ad'],
  element: 'main',
  css: 'p { color: red }',
}

const parse = (given: object, own: object = {}) =>
  parseScreenshotRequest(
    { screenshotParameter: { ...VIEW, ...given }, urls: [{ ...newPage(), ...own }] },
    LIMITS,
  )

describe('a step before the picture', () => {
  test('can be requested for all pages, or for one', () => {
    expect(parse(STEPS).asked?.options).toMatchObject(STEPS)
    expect(parse({}, STEPS).asked?.pages[0]?.ownOptions).toEqual(STEPS)
  })

  test.each([[['https://sso.example.com', 'http://localhost:8080/', 'https://[::1]:8443']], [null], [[]]])(
    'may list origins for a login: %j',
    (origins) => {
      expect(parse({ loginParameter: { ...LOGIN, origins } }).mistakes).toBeUndefined()
    },
  )

  test('is not requested by an empty value', () => {
    const nothing = {
      loginParameter: {},
      clicks: [],
      waitFor: null,
      delay: null,
      hide: [],
      element: null,
      css: null,
    }
    expect(parse(nothing, nothing).asked).toEqual(parse({}).asked)
  })

  test.each([
    [
      '/loginParameter/loginButton must be an object with elementId',
      { loginParameter: { ...LOGIN, loginButton: 1 } },
    ],
    [
      '/loginParameter/password/password must be a string of 1 to 1000 characters',
      { loginParameter: { ...LOGIN, password: { elementId: '#password' } } },
    ],
    [
      '/loginParameter/origins must be a list of at most 10 origins',
      { loginParameter: { ...LOGIN, origins: Array(11).fill('https://sso.example.com') } },
    ],
    ...[
      'sso.example.com',
      'https://',
      'https://a.example/login',
      'https://a@b.example',
      'ftp://a.example',
      '*',
      'null',
    ].map((origin): [string, object] => [
      '/loginParameter/origins/0 must be an origin, with nothing after host and port: https://sso.example.com',
      { loginParameter: { ...LOGIN, origins: [origin] } },
    ]),
    ['/clicks/0/elementId must be a string of 1 to 1000 characters', { clicks: [{ loadingTime: 5 }] }],
    [
      '/clicks/0/loadingTime must be a whole number from 0 to 20000',
      { clicks: [{ elementId: 'a', loadingTime: 20_001 }] },
    ],
    [
      '/clicks must wait at most 20000 ms in total',
      {
        clicks: [
          { elementId: 'a', loadingTime: 10_001 },
          { elementId: 'b', loadingTime: 10_000 },
        ],
      },
    ],
    ['/clicks must be a list of at most 50 clicks', { clicks: Array(51).fill({ elementId: 'a' }) }],
    ['/waitFor must be a string of 1 to 1000 characters', { waitFor: 5 }],
    ['/delay must be a whole number from 0 to 20000', { delay: -1 }],
    ['/hide must be a list of at most 50 selectors', { hide: '.chat' }],
    ['/hide/0 must be a string of 1 to 1000 characters', { hide: ['x'.repeat(1_001)] }],
    ['/element must be a string of 1 to 1000 characters', { element: '' }],
    ['/css must be a string of 1 to 10000 characters', { css: ['x'] }],
  ])('is refused with its place and a sentence: %s', (sentence, wrong) => {
    const mistakes = parse(wrong).mistakes?.map(({ pointer, detail }) => `${pointer} ${detail}`)
    expect(mistakes).toEqual([`#/screenshotParameter${sentence}`])
  })
})
