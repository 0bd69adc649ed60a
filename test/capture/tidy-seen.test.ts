import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tidySeen } from '../../src/capture/worker.ts'
import { isPlain } from '../../src/contract/check.ts'
import { MARK_NAMES } from '../../src/contract/seen.ts'
import { newSeen } from '../support/store/captures.ts'

test('short and plain values stay unchanged', () => {
  const seen = newSeen({ title: 'Ω “quoted” 😀\n', status: 404, failedResources: 9, marks: ['error', 'cut'] })
  const notes = [{ note: 'hide', detail: '.ad was not hidden.' } as const]
  expect(tidySeen(seen)).toEqual(seen)
  expect(tidySeen({ ...seen, notes })).toEqual({ ...seen, notes })
})

test('a title is cut to 500 characters and a URL to 8,192, never within a character', () => {
  const { title, url } = tidySeen(
    newSeen({ title: `${'x'.repeat(499)}😀`, url: `http://x/${'y'.repeat(9_000)}` }),
  )
  expect(title).toBe('x'.repeat(499))
  expect(url).toHaveLength(8_192)
})

test('the URL that a page leads to loses its user name and password', () => {
  const { url } = tidySeen(newSeen({ url: 'http://ada:s3cret@example.com:81/@x?q=a@b' }))
  expect(url).toBe('http://example.com:81/@x?q=a@b')
})

test('marks are in the order of the contract, each once', () => {
  const marks = [...MARK_NAMES, ...MARK_NAMES].reverse()
  expect(tidySeen(newSeen({ marks })).marks).toEqual(MARK_NAMES)
})

test('property: whatever the title of a page, the result can be stored in every database', () => {
  const unit = fc.constantFrom('\0', '\ud800', '\udc00', '😀', 'a', '\n')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 600 }), (title) => {
      const notes = [{ note: 'click', detail: title } as const]
      const tidy = tidySeen(newSeen({ title, url: title, notes }))
      for (const text of [tidy.title, tidy.url, tidy.notes?.[0]?.detail ?? '\0'])
        expect(isPlain(text)).toBe(true)
      expect(tidy.title.length).toBeLessThanOrEqual(500)
      if (isPlain(title) && title.length <= 500) expect(tidy.title).toBe(title)
    }),
  )
})
