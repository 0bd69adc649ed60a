import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outlineJson } from '../../src/http/rules/json-outline.ts'
import { anyCharacter } from '../support/runner/any-character.ts'

const ALL = { parts: Number.MAX_SAFE_INTEGER, depth: Number.MAX_SAFE_INTEGER }

const outline = (text: string, most = ALL) => outlineJson(Buffer.from(text), most)

/** The outline of a parsed value. */
function outlineOf(value: unknown): { parts: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { parts: 1, depth: 0 }
  const names = Array.isArray(value) ? 0 : Object.keys(value).length
  const inner = Object.values(value).map(outlineOf)
  return {
    parts: 1 + names + inner.reduce((parts, each) => parts + each.parts, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  }
}

describe('the outline of JSON', () => {
  test.each([
    ['null', 1, 0],
    ['-1.5e+3', 1, 0],
    ['"[{\\"[,:\\\\"', 1, 0],
    ['[]', 1, 1],
    ['[[],[[]]]', 4, 3],
    ['{"a":1,"b":[true,"x"]}', 7, 2],
    [' [ 1 , 2\n,\t3 ] ', 4, 1],
  ])('%s', (text, parts, depth) => {
    expect(outline(text)).toEqual({ parts, depth })
  })

  test('property: agrees with the parser, however the text is spaced', () => {
    const value = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 6 })
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (any, space) => {
        const text = JSON.stringify(any, undefined, space)
        expect(outline(text)).toEqual(outlineOf(JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })

  test('property: stops at the given limits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(20), fc.nat(4), (any, parts, depth) => {
        const whole = outlineOf(any)
        const found = outline(JSON.stringify(any), { parts, depth })
        expect(found.parts).toBeLessThanOrEqual(parts + 1)
        expect(found.depth).toBeLessThanOrEqual(depth + 1)
        expect(found.parts > parts || found.depth > depth).toBe(whole.parts > parts || whole.depth > depth)
      }),
      { numRuns: 500 },
    )
  })

  test('property: gives a result for any bytes', () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\[]{},: 1')))
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 200 }), (bytes) => {
        const { parts, depth } = outlineJson(Buffer.from(bytes), ALL)
        expect(parts).toBeLessThanOrEqual(bytes.length)
        expect(depth).toBeLessThanOrEqual(parts)
      }),
      { numRuns: 1_000 },
    )
  })
})
