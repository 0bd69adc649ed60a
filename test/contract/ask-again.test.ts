import { expect, test } from 'vitest'
import { type Asked, askAgain, fillIn } from '../../src/contract/ask-again.ts'
import { PageOptions } from '../../src/contract/capture-options.ts'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import type { PageStatus } from '../../src/contract/status.ts'

const LIMITS = {
  ...{ urls: 10, loadingMs: 20_000, viewportWidth: 2_000, viewportHeight: 3_000 },
  picturePixels: 10 ** 9,
}

const page = (position: number, more: Partial<PageStatus> = {}): PageStatus => ({
  ...{ position, url: `https://example.com/${position}`, name: `Page ${position}` },
  ...{ state: 'done', attempts: 1, queued: 1, loadingTime: 9_000, ...more },
})

/** The part of a status that shows its request. */
function statusOf(body: unknown): Asked {
  const { asked } = parseScreenshotRequest(body, LIMITS)
  if (!asked) throw new Error('the request has mistakes')
  const urls = asked.pages.map(({ ownOptions, ...each }, position) =>
    page(position, { ...each, ...(ownOptions && { options: ownOptions }) }),
  )
  return { options: asked.options, tags: [...asked.options.tags], urls }
}

test('repeats the request of the status', () => {
  const sizes = [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]
  const body = {
    screenshotParameter: { sizes, fullPage: true, tags: ['release', 'b'] },
    urls: [
      { url: 'https://example.com/', name: 'Home', loadingTime: 7_000 },
      { url: 'https://example.com/a', name: 'A', fullPage: false, width: 500 },
    ],
    failOn: 'status',
  }
  const status = statusOf(body)
  const { request, secrets } = askAgain(status)
  expect(parseScreenshotRequest(request, LIMITS)).toEqual(parseScreenshotRequest(body, LIMITS))
  expect(statusOf(request)).toEqual(status)
  expect(secrets).toEqual([])
})

test('can repeat only the failed pages', () => {
  const status = { options: { width: 1, height: 2, fullPage: false, tags: [] }, tags: [] }
  const urls = [page(0), page(1, { state: 'failed', options: { width: 5 } }), page(2, { state: 'queued' })]
  expect(askAgain({ ...status, urls }, { only: 'failed' }).request).toEqual({
    screenshotParameter: { width: 1, height: 2, fullPage: false },
    urls: [{ url: 'https://example.com/1', name: 'Page 1', loadingTime: 9_000, width: 5 }],
  })
})

test('an import has no window to repeat', () => {
  const { loadingTime: _, ...imported } = page(0)
  expect(askAgain({ tags: [], urls: [imported] }).request).toEqual({
    screenshotParameter: {},
    urls: [{ url: imported.url, name: imported.name }],
  })
})

test('lists the places of secrets, and fills them in', () => {
  const login = {
    username: { elementId: '#user', username: '' },
    password: { elementId: '#password', password: '' },
    loginButton: { elementId: '#go' },
  }
  const window = { width: 1, height: 2, fullPage: false }
  const status = {
    options: { ...window, tags: [], loginParameter: login, headers: { authorization: '' } },
    tags: [],
    urls: [page(0), page(1, { state: 'failed', options: { cookies: [{ name: 'session', value: '' }] } })],
  }
  const { request, secrets } = askAgain(status, { only: 'failed' })
  expect(secrets).toEqual([
    '/screenshotParameter/loginParameter/username/username',
    '/screenshotParameter/loginParameter/password/password',
    '/screenshotParameter/headers/authorization',
    '/urls/0/cookies/0/value',
  ])
  const filled = fillIn(request, Object.fromEntries(secrets.map((place, index) => [place, `s${index}`])))
  expect(filled).toEqual({
    screenshotParameter: {
      ...window,
      loginParameter: {
        username: { elementId: '#user', username: 's0' },
        password: { elementId: '#password', password: 's1' },
        loginButton: { elementId: '#go' },
      },
      headers: { authorization: 's2' },
    },
    urls: [
      {
        ...{ url: 'https://example.com/1', name: 'Page 1', loadingTime: 9_000 },
        cookies: [{ name: 'session', value: 's3' }],
      },
    ],
  })
})

test('no text option may be empty: an empty text stands for a secret', () => {
  const empty: string[] = []
  const look = (schema: unknown, at: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { type, minLength, enum: values, const: only } = schema as Record<string, unknown>
    if (type === 'string' && !minLength && !values && only === undefined) empty.push(at)
    for (const [name, inner] of Object.entries(schema)) look(inner, `${at}/${name}`)
  }
  look(PageOptions, '')
  expect(empty).toEqual(['/properties/headers/propertyNames'])
})
