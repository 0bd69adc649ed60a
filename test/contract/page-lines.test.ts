import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPageLines } from '../../src/contract/page-lines.ts'

/** Any UTF-16 unit. */
const ANY = fc.nat(0xffff).map((code) => String.fromCharCode(code))
const read = (text: string) => readPageLines(text).map(({ url, name }) => [url, name])

test.each([
  ['https://a.example/', [['https://a.example/', 'a.example']]],
  ['https://a.example/x Our prices', [['https://a.example/x', 'Our prices']]],
  ['a.example\tHome, sweet home', [['a.example', 'Home, sweet home']]],
  ['https://a.example/x,y;z?q=1,2', [['https://a.example/x,y;z?q=1,2', 'a.example/x,y;z?q=1,2']]],
  ['https://a.example/, Home', [['https://a.example/', 'Home']]],
  ['https://a.example/,', [['https://a.example/', 'a.example']]],
  [', ,', []],
  ['# not now: https://a.example/', []],
])('%j', (text, pages) => {
  expect(read(text)).toEqual(pages)
})

test.each([
  'https://a.example/x,https://b.example/',
  'https://a.example/x, https://b.example/',
  'https://a.example/x ,, https://b.example/,',
  'https://a.example/x\nhttps://b.example/',
  '# two of them\r\n\n  https://a.example/x  \r\n\thttps://b.example/\r\n',
])('two URLs: %j', (text) => {
  expect(readPageLines(text).map(({ url }) => url)).toEqual(['https://a.example/x', 'https://b.example/'])
})

test('URLs need no scheme, may be separated by commas, and a name belongs to the URL before it', () => {
  expect(read('a.example,b.example/x, c.example')).toEqual([
    ['a.example', 'a.example'],
    ['b.example/x', 'b.example/x'],
    ['c.example', 'c.example'],
  ])
  expect(read('http://a.example/ One, two, HTTPS://b.example/ Three')).toEqual([
    ['http://a.example/', 'One, two'],
    ['HTTPS://b.example/', 'Three'],
  ])
})

test('property: every URL is read as it was written, with the number of its line', () => {
  const address = fc
    .tuple(
      fc.constantFrom('https://a.example', 'http://[::1]:8080', 'HTTPS://xn--e1aybc.example', 'b.example'),
      fc.constantFrom('', '/', '/x', '?q=1', '#part'),
      fc.string({ unit: fc.constantFrom('a', ',', '/', '?', '=', '&', '%2C', ':', 'é', '#') }),
    )
    .map(([host, start, rest]) => (start === '' ? host : host + start + rest))
    .filter((url) => !/,(,|$|https?:)/i.test(url))
  const name = fc
    .string({ maxLength: 30 })
    .map((text) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter((text) => !/^,|,$|,\s*https?:\/\//i.test(text))
  const line = fc.oneof(fc.tuple(address, name), fc.constant(undefined))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
      const text = lines.map((each) => each?.join(' ') ?? '').join('\n')
      const written = lines.flatMap((each, index) => (each ? [[index + 1, each[0], each[1]]] : []))
      const pages = readPageLines(text)
      expect(pages.map(({ line, url }) => [line, url])).toEqual(written.map(([number, url]) => [number, url]))
      for (const [index, page] of pages.entries()) {
        expect(written[index]?.[2] || page.name).toBe(page.name)
      }
    }),
  )
})

test('property: any text is read, no part of it is empty, and long lines take no time', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY }), (text) => {
      for (const { url, name } of readPageLines(text)) expect([url, name]).not.toContain('')
    }),
  )
  for (const part of [',', ', ', 'a,', 'a/,', 'a, ', '/', 'x y,']) readPageLines(part.repeat(100_000))
})
