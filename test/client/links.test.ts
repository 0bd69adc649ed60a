import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextQuery, parseLinks } from '../../src/client/list-pages.ts'
import { workDone } from '../support/runner/patience.ts'

describe('the next list page', () => {
  test.each([
    ['as the service writes it', '<http://x/api?limit=2&cursor=abc>; rel="next"', '?limit=2&cursor=abc'],
    ['of another origin', '<https://elsewhere.example:8443/a/b?cursor=1>; rel=next', '?cursor=1'],
    ['without an origin', '</a/b?cursor=1>; rel=next', '?cursor=1'],
    ['that is a query alone', '<?cursor=1>;rel=next', '?cursor=1'],
    ['with a fragment', '<?cursor=1#?cursor=2>; rel=next', '?cursor=1'],
    ['with no query', '</a>; rel=next', ''],
    ['behind others', '<?a>; rel="prev", <?b>; rel="next", <?c>; rel="last"', '?b'],
    ['with commas and semicolons', '<?a=1,2;3>; title="x, <?no>; rel=next"; rel=next', '?a=1,2;3'],
    ['with quotes in quotes', String.raw`<?a>; title="\"; rel=\"prev"; rel="next"`, '?a'],
    ['in any case', '<?a>; REL="Next"', '?a'],
    ['with another relation, too', '<?a>; rel="last  next"', '?a'],
    ['with blanks', ' <?a> ; rel = "next" ', '?a'],
    ['with a parameter that has no value', '<?a>; crossorigin; rel=next', '?a'],
    ['with empty parameters', '<?a>;; ; rel=next;', '?a'],
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
    ['another parameter with the value next', '<?a>; title=next'],
    ['the next of another page', '<?a>; rel=next; anchor="/other"'],
    ['no URL', 'rel=next'],
    ['a relation without a URL', '<?a>, rel=next'],
    ['a URL without an end', '<?a; rel=next'],
    ['a URL within a URL', '<?a<?b; rel=next'],
    ['a text without an end', '<?a>; title="x; rel=next'],
  ])('is undefined: %s', (_, header) => {
    expect(nextQuery(header)).toBeUndefined()
  })
})

test('links are read as they were written', () => {
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
    // This takes milliseconds; it would take minutes if the rest were read again at each of them.
    expect([part, workDone() - before < 10_000]).toEqual([part, true])
  }
})
