import { describe, expect, test } from 'vitest'
import { problemOfSecrets } from '../../src/contract/options/secrets.ts'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { LIMITS } from '../support/http/limits.ts'
import { newPage } from '../support/http/requests.ts'

const VIEW = { width: 1200, height: 720 }

const parse = (body: unknown) => parseScreenshotRequest(body, LIMITS)

function mistakesOf(body: unknown): string[] {
  return parse(body).mistakes?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? []
}

describe('several sizes', () => {
  const sizes = [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]

  test('capture each page in each size, page by page', () => {
    const { asked } = parse({ screenshotParameter: { sizes }, urls: [newPage(0)] })
    expect(asked).toEqual({
      options: { ...sizes[0], fullPage: false, tags: [] },
      pages: sizes.map((ownOptions) => ({ ...newPage(0), loadingTime: 15_000, ownOptions })),
    })
  })

  test('count as several pages', () => {
    expect(mistakesOf({ screenshotParameter: { sizes }, urls: [newPage(0), newPage(1)] })).toEqual([
      '#/urls asks for 4 pages (pages × sizes); the limit is 3',
    ])
  })

  test('a page with its own window is captured only in that', () => {
    const own = { width: 100, height: 200 }
    const { asked } = parse({ screenshotParameter: { sizes }, urls: [{ ...newPage(0), ...own }, newPage(1)] })
    expect(asked?.pages.map(({ ownOptions }) => ownOptions)).toEqual([own, ...sizes])
  })

  test('a page with only its own height keeps it', () => {
    const { asked } = parse({ screenshotParameter: { sizes }, urls: [{ ...newPage(0), height: 200 }] })
    expect(asked?.pages.map(({ ownOptions }) => ownOptions)).toEqual([{ height: 200 }])
  })

  test('a wrong one is reported with its place', () => {
    const wrong = { screenshotParameter: { sizes: [{ width: 390 }] }, urls: [newPage()] }
    expect(mistakesOf(wrong)).toEqual([
      '#/screenshotParameter/sizes/0/height must be a whole number from 1 to 3000',
    ])
  })
})

test('a page may have its own options, including one that undoes an option of all pages', () => {
  const { asked } = parse({
    screenshotParameter: { ...VIEW, fullPage: true },
    urls: [newPage(0), { ...newPage(1), fullPage: false, width: 100 }],
  })
  expect(asked?.pages.map(({ ownOptions }) => ownOptions)).toEqual([
    undefined,
    { fullPage: false, width: 100 },
  ])
})

test('the secrets of a request, in all its pages together, have a limited number of characters', () => {
  const cookies = Array.from({ length: 100 }, (_, index) => ({ name: `c${index}`, value: 'x'.repeat(4_096) }))
  const options = { ...VIEW, fullPage: false, tags: [], cookies }
  const pages = (count: number) => Array.from({ length: count }, () => ({}))
  expect(problemOfSecrets(options, pages(2))).toBeUndefined()
  expect(problemOfSecrets(options, pages(3))).toMatch(
    /^has 1228800 characters .*; the limit is 1000000: send/,
  )
  expect(problemOfSecrets(options, [...pages(2), { ownOptions: { cookies: [] } }])).toBeUndefined()
})
