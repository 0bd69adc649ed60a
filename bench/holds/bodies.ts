/** `MAX_BODY_BYTES`. */
const BODY_BYTES = 1_048_576
const PAGES = 100
const WINDOW = { width: 1200, height: 720 }

type Fields = Readonly<Record<string, unknown>>

/** A request for pages, as `POST …/projects/:projectId` takes it. Templates and schedules keep the same fields. */
export interface Body {
  readonly screenshotParameter: Fields
  readonly urls: readonly Fields[]
}

function pages(count: number, make: (index: number) => Fields): Fields[] {
  return Array.from({ length: count }, (_, index) => ({
    url: `https://example.com/${index}`,
    name: `Page ${index}`,
    ...make(index),
  }))
}

export const LONGEST_ADDRESS = 8_192
export const addressOf = (index: number, letter = 'x') =>
  `https://example.com/${index}/`.padEnd(LONGEST_ADDRESS, letter)

/** The largest requests that are accepted, each by another of its parts. */
export const LARGEST: Readonly<Record<string, () => Body>> = {
  'a hundred addresses of 8 KB': () => ({
    screenshotParameter: WINDOW,
    urls: pages(PAGES, (index) => ({ url: addressOf(index), name: `Page ${index} `.padEnd(500, 'n') })),
  }),
  // A letter of two bytes makes V8 keep the text in two bytes for each letter.
  'sixty of them in Cyrillic': () => ({
    screenshotParameter: WINDOW,
    urls: pages(60, (index) => ({ url: addressOf(index, 'ж') })),
  }),
  'a hundred pages with options of their own': () => ({
    screenshotParameter: WINDOW,
    urls: pages(PAGES, (index) => ({
      css: `.a${index} { color: red }`.padEnd(6_000, ' '),
      hide: Array.from({ length: 12 }, (_, at) => `.hidden-${index}-${at}`.padEnd(150, 'h')),
      clicks: Array.from({ length: 12 }, (_, at) => ({
        elementId: `#c-${at}`.padEnd(100, 'c'),
        loadingTime: 1,
      })),
      effects: [{ effect: 'resize', options: { width: 600 } }],
    })),
  }),
  'a hundred pages with secrets of their own': () => ({
    screenshotParameter: WINDOW,
    urls: pages(PAGES, (index) => ({
      headers: { 'x-one': `${index}`.padEnd(4_096, 's'), 'x-two': `${index}`.padEnd(4_096, 't') },
      cookies: Array.from({ length: 8 }, (_, at) => ({ name: `c${at}`, value: 'v'.repeat(100) })),
    })),
  }),
  'a hundred pages that share 10,000 characters of secrets': () => ({
    screenshotParameter: {
      ...WINDOW,
      headers: { 'x-one': 's'.repeat(4_096), 'x-two': 't'.repeat(4_096) },
      cookies: Array.from({ length: 18 }, (_, at) => ({ name: `c${at}`, value: 'v'.repeat(100) })),
    },
    urls: pages(PAGES, (index) => ({ url: `https://example.com/${index}/`.padEnd(8_000, 'x') })),
  }),
  'hosts with accents': () => ({
    screenshotParameter: WINDOW,
    urls: pages(PAGES, () => ({ url: `https://${'e\u0301'.repeat(130)}/` })),
  }),
  'ten pages in ten sizes': () => ({
    screenshotParameter: {
      sizes: Array.from({ length: 10 }, (_, index) => ({ width: 400 + index, height: 700 })),
      css: ' '.repeat(10_000),
      tags: Array.from({ length: 50 }, (_, index) => `tag ${index} `.padEnd(100, 't')),
    },
    urls: pages(10, (index) => ({ url: addressOf(index) })),
  }),
}

/** The largest bodies that are refused: what is wrong with them is found within the same time. */
export const REFUSED: Readonly<Record<string, () => string>> = {
  'a megabyte of spaces': () => ' '.repeat(BODY_BYTES),
  'half a million nested lists': () => '['.repeat(BODY_BYTES / 2).concat(']'.repeat(BODY_BYTES / 2)),
  'a hundred thousand unknown fields': () =>
    `{${Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`).join(',')}}`,
  'ten thousand unknown fields in the pages': () =>
    JSON.stringify({
      screenshotParameter: WINDOW,
      urls: pages(PAGES, () =>
        Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`unknown-${at}`.padEnd(190, 'u'), ''])),
      ),
    }),
  'a text of escapes': () => `{"a":"${'\\u0041'.repeat((BODY_BYTES - 20) / 6)}"}`,
}
