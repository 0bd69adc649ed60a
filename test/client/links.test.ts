import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextQuery, parseLinks } from '../../src/client/list-pages.ts'
import { workDone } from '../support/runner/patience.ts'

describe('the next page', () => {
  test.each([
    ['as the service says it', '<http://x/api?limit=2&cursor=abc>; rel="next"', '?limit=2&cursor=abc'],
    ['of another origin', '<https://elsewhere.example:8443/a/b?cursor=1>; rel=next', '?cursor=1'],
    ['without an origin', '</a/b?cursor=1>; rel=next', '?cursor=1'],
    ['that is a query alone', '<?cursor=1>;rel=next', '?cursor=1'],
    ['with a fragment', '<?cursor=1#?cursor=2>; rel=next', '?cursor=1'],
    ['with no query', '</a>; rel=next', ''],
    ['behind others', '<?a>; rel="prev", <?b>; rel="next", <?c>; rel="last"', '?b'],
    ['with commas and semicolons', '<?a=1,2;3>; title="x, <?no>; rel=next"; rel=next', '?a=1,2;3'],
    ['with quotes in quotes', String.raw`<?a>; title="\"; rel=\"prev"; rel="next"`, '?a'],
    ['in any case', '<?a>; REL="Next"', '?a'],
    ['that is something else, too', '<?a>; rel="last  next"', '?a'],
    ['with blanks', ' <?a> ; rel = "next" ', '?a'],
    ['with a parameter that has no value', '<?a>; crossorigin; rel=next', '?a'],
    ['with parameters that are none', '<?a>;; ; rel=next;', '?a'],
    ['stated twice: the first counts', '<?a>; rel=next, <?b>; rel=next', '?a'],
  ])('%s', (_, header, query) => {
    expect(nextQuery(header)).toBe(query)
  })

  test.each([
    ['no header', null],
    ['an empty one', ''],
    ['another relation', '<?a>; rel=prev'],
    ['a relation like it', '<?a>; rel="nextish next-to x:next"'],
    ['no relation', '<?a>'],
    ['a second relation, which does not count', '<?a>; rel=prev; rel=next'],
    ['something else that is next', '<?a>; title=next'],
    ['the next of another page', '<?a>; rel=next; anchor="/other"'],
    ['no address', 'rel=next'],
    ['a relation of no address', '<?a>, rel=next'],
    ['an address without an end', '<?a; rel=next'],
    ['an address within an address', '<?a<?b; rel=next'],
    ['a text without an end', '<?a>; title="x; rel=next'],
  ])('is not there: %s', (_, header) => {
    expect(nextQuery(header)).toBeUndefined()
  })
})

test('links that were written are read', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  const link = fc.record({
    target: fc.stringMatching(/^[!-;=?-~]{0,20}$/),
    parameters: fc.uniqueArray(fc.tuple(word, fc.stringMatching(/^[ -~]{0,12}$/)), {
      selector: ([name]) => name,
      maxLength: 4,
    }),
  })
  const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  fc.assert(
    fc.property(fc.array(link, { maxLength: 4 }), fc.constantFrom('', ' ', '\t '), (links, blank) => {
      const header = links
        .map(
          ({ target, parameters }) =>
            `<${target}>${parameters.map(([name, value]) => `${blank};${blank}${name}${blank}=${blank}${quote(value)}`).join('')}`,
        )
        .join(`${blank},${blank}`)
      const read = parseLinks(header).map(({ target, parameters }) => ({
        target,
        parameters: [...parameters],
      }))
      expect(read).toEqual(links)
    }),
  )
})

test('any header is parsed quickly', () => {
  for (const part of ['<', '<>;', '"', '"\\', '\\', ' ', '=', 'a=', ',;', '<?a>; rel="']) {
    const before = workDone()
    parseLinks(part.repeat(200_000))
    // Some milliseconds; minutes, were the rest read again at each of them.
    expect([part, workDone() - before < 10_000]).toEqual([part, true])
  }
})
