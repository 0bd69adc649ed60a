import { expect, test } from 'vitest'
import { digestOf, type RequestContent } from '../../src/capture/digest.ts'

const PAGES = [
  { url: 'https://example.com/', name: 'Home', loadingTime: 15_000 },
  { url: 'https://example.com/pricing', name: 'Prices “€”', loadingTime: 1 },
]
const PLAIN: RequestContent = {
  options: { width: 1200, height: 720, fullPage: false, tags: [] },
  pages: PAGES.slice(0, 1),
}
const ODD: RequestContent = {
  options: { width: 390, height: 844, fullPage: true, tags: ['release', 'a'] },
  pages: PAGES,
}

// Digests made by the version before options were one value.
test.each([
  ['f410731fd2cc16b64cbb3b02e938a1a4466f5f0c2f687c64f0ba93dad891dcd9', PLAIN],
  ['0f228fc3fff32d1be915a328bc3cecb68a0386d2a94ad3888870dc3fad73b331', ODD],
  [
    '829790b9d65a1be2f6f5d9e89954dc725800b3f70f17d18faa85b4e4cefbffd6',
    { ...ODD, options: { ...ODD.options, failOn: 'status' as const } },
  ],
])('a request repeated after an upgrade has the same digest as before: %s', (digest, asked) => {
  expect(digestOf(asked)).toBe(digest)
})

test('every option of a request or a page changes the digest, even an unknown one', () => {
  const options = (more: object) => digestOf({ ...PLAIN, options: { ...PLAIN.options, ...more } })
  const ofPage = (ownOptions: object) => digestOf({ ...PLAIN, pages: [{ ...PAGES[0], ownOptions } as never] })
  const digests = [
    digestOf(PLAIN),
    ...[{ width: 1 }, { height: 1 }, { fullPage: true }, { tags: ['a'] }, { failOn: 'status' }].map(options),
    ...[{ later: true }, { later: 'status' }, { other: true }, { later: true, other: true }].map(options),
    ...[{ width: 1 }, { later: true }].map(ofPage),
  ]
  expect(new Set(digests).size).toBe(digests.length)
})

test('the order of options does not change the digest', () => {
  const digests = [
    { later: 1, other: 2, height: 720, fullPage: false, tags: [], width: 1200 },
    { width: 1200, height: 720, fullPage: false, tags: [], other: 2, later: 1 },
  ].map((options) => digestOf({ ...PLAIN, options }))
  expect(digests[0]).toBe(digests[1])
  expect(digestOf({ ...PLAIN, pages: [{ ...PAGES[0], ownOptions: {} } as never] })).toBe(digestOf(PLAIN))
})
