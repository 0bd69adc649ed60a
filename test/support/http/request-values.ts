import fc from 'fast-check'
import type { RequestLimits } from '../../../src/contract/screenshot-request.ts'

const LIMITS: RequestLimits = { urls: 3, loadingMs: 20_000, viewportWidth: 2_000, viewportHeight: 3_000 }

const anyText = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength }),
      fc.string({
        unit: fc.constantFrom('"', '\\', "'", '\n', '\u2028', '🦉', '$', '%', '{'),
        minLength: 1,
        maxLength,
      }),
    )
    // Lengths are counted as JavaScript does, and one character may be several.
    .filter((text) => text.length <= maxLength && !text.includes('\0'))

const address = fc
  .tuple(fc.constantFrom('http://', 'https://', 'HTTP://'), fc.domain(), anyText(200))
  .map(([scheme, host, rest]) => `${scheme}${host}/${rest}`)
  .filter((url) => URL.canParse(url))

/** Requests that are right. */
export function validRequest(limits: RequestLimits) {
  return fc.record(
    {
      screenshotParameter: fc.record(
        {
          width: fc.integer({ min: 1, max: limits.viewportWidth }),
          height: fc.integer({ min: 1, max: limits.viewportHeight }),
          fullPage: fc.boolean(),
          tags: fc.array(anyText(100), { maxLength: 5 }),
        },
        { requiredKeys: ['width', 'height'] },
      ),
      urls: fc.array(
        fc.record(
          {
            url: address,
            name: anyText(500),
            loadingTime: fc.integer({ min: 1, max: limits.loadingMs }),
          },
          { requiredKeys: ['url', 'name'] },
        ),
        { minLength: 1, maxLength: limits.urls },
      ),
      failOn: fc.constantFrom('status' as const, null),
    },
    { requiredKeys: ['screenshotParameter', 'urls'] },
  )
}

const anyJson = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 })
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('style', 'clicks', 'width', 'urls', '__proto__', 'a/b', '~', '%', '#', ''),
)

/** Any JSON value, and often one that is almost a request. */
export const anyRequest: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 1, arbitrary: anyJson },
  { weight: 4, arbitrary: validRequest(LIMITS).chain(spoil) },
)

interface Change {
  readonly at: readonly number[]
  readonly how: 'leave' | 'replace' | 'remove' | 'add'
  readonly name: string
  readonly value: unknown
}

/** A few changes to it, or none. */
function spoil(body: unknown): fc.Arbitrary<unknown> {
  const change: fc.Arbitrary<Change> = fc.record({
    at: fc.array(fc.nat(5), { maxLength: 4 }),
    how: fc.constantFrom('leave', 'replace', 'remove', 'add'),
    name: anyName,
    value: anyJson,
  })
  return fc.array(change, { maxLength: 3 }).map((changes) => changes.reduce(changed, body))
}

function changed(body: unknown, { at, how, name, value }: Change): unknown {
  if (how === 'leave') return body
  const [first, ...rest] = at
  if (typeof body !== 'object' || body === null) return value
  const names = Object.keys(body)
  const picked = names[(first ?? 0) % Math.max(1, names.length)]
  if (Array.isArray(body)) {
    if (how === 'add' || picked === undefined) return [...body, value]
    if (how === 'remove' && rest.length === 0) return body.filter((_, index) => String(index) !== picked)
    return body.map((each, index) =>
      String(index) === picked ? changed(each, { at: rest, how, name, value }) : each,
    )
  }
  const entries = Object.entries(body)
  if (first === undefined || picked === undefined) {
    return how === 'add' ? Object.fromEntries([...entries, [name, value]]) : value
  }
  if (how === 'remove' && rest.length === 0)
    return Object.fromEntries(entries.filter(([each]) => each !== picked))
  return Object.fromEntries(
    entries.map(([each, inner]) => [
      each,
      each === picked ? changed(inner, { at: rest, how, name, value }) : inner,
    ]),
  )
}
