import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeMistakes, toRequest } from '../../gallery/src/capture-form.ts'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'

const LIMITS = { urls: 100, loadingMs: 100_000, viewportWidth: 4_096, viewportHeight: 16_384 }
const SIZE = { width: 1280, height: 800, fullPage: false, tags: '' }

test('addresses, one per line, with or without a scheme', () => {
  const { urls } = toRequest({
    ...SIZE,
    addresses: '\n example.com \r\nhttp://127.0.0.1:3000/a?b=c\n\nHTTPS://x.example/',
  })
  expect(urls).toEqual([
    { url: 'https://example.com', name: 'example.com' },
    { url: 'http://127.0.0.1:3000/a?b=c', name: '127.0.0.1:3000/a?b=c' },
    { url: 'HTTPS://x.example/', name: 'HTTPS://x.example' },
  ])
})

test('tags are separated by commas; each counts once', () => {
  const { screenshotParameter } = toRequest({
    ...SIZE,
    addresses: 'a.example',
    tags: ' release,, home page ,release',
  })
  expect(screenshotParameter.tags).toEqual(['release', 'home page'])
})

test('mistakes are shown beside their fields, with line numbers from 1', () => {
  const addresses = '\nhttps://good.example/\n\nftp://bad.example/\n   \nhttp://'
  const { mistakes = [] } = parseScreenshotRequest(
    toRequest({ addresses, width: 0, height: 99_999, fullPage: false, tags: 'x'.repeat(101) }),
    LIMITS,
  )
  const placed = placeMistakes(addresses, mistakes)
  expect(placed.addresses.map((text) => text.slice(0, 7))).toEqual(['Line 4 ', 'Line 6 '])
  expect(placed.size).toEqual([
    'The width must be a whole number from 1 to 4096',
    'The height must be a whole number from 1 to 16384',
  ])
  expect(placed.tags).toHaveLength(1)
  expect(placed.form).toEqual([])
  const none = placeMistakes(
    '',
    parseScreenshotRequest(toRequest({ ...SIZE, addresses: '' }), LIMITS).mistakes ?? [],
  )
  expect(none.addresses).toEqual(['The list must be a list of 1 to 100 pages'])
})

test('property: each mistake names an existing line, and correct lines are accepted', () => {
  const line = fc.oneof(
    fc.webUrl(),
    fc.string(),
    fc.constant(''),
    fc.constant('javascript:alert(1)'),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const addresses = lines.map((text) => text.replaceAll('\n', ' ')).join('\n')
      const { asked, mistakes = [] } = parseScreenshotRequest(toRequest({ ...SIZE, addresses }), LIMITS)
      const placed = placeMistakes(addresses, mistakes)
      expect(placed.form).toEqual([])
      expect(asked === undefined).toBe(placed.addresses.length > 0)
      const typed = addresses.split('\n')
      for (const mistake of placed.addresses) {
        const [, number] = /^Line (\d+) /.exec(mistake) ?? []
        if (number !== undefined) expect(typed[Number(number) - 1]?.trim()).not.toBe('')
      }
    }),
  )
})
