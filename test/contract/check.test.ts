import { describe, expect, test } from 'vitest'
import { check } from '../../src/contract/check.ts'
import { rule, type Schema, Type } from '../../src/contract/schema.ts'

const wrong = (schema: Schema, value: unknown) =>
  check(schema, value).mistakes?.map(({ pointer, detail }) => `${pointer} ${detail}`)

describe('a value that does not fit its schema', () => {
  test.each([
    [Type.Integer(), 1.5, 'must be a whole number'],
    [Type.Integer({ minimum: 0, maximum: 9 }), 10, 'must be a whole number from 0 to 9'],
    [Type.Boolean(), 'true', 'must be true or false'],
    [Type.String(), 1, 'must be a text'],
    [Type.String({ maxLength: 3 }), 'four', 'must be a text of at most 3 characters'],
    [Type.String({ minLength: 2, maxLength: 3 }), 'x', 'must be a text of 2 to 3 characters'],
    [Type.Literal('ok'), 'no', 'must be "ok"'],
    [Type.Enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
    [Type.OrNull(Type.Enum(['a', 'b'])), 'c', 'must be one of "a", "b", or be left out'],
    [Type.Array(Type.String()), 'x', 'must be a list of texts'],
    [Type.Array(Type.Integer(), { minItems: 1 }), [], 'must be a list of 1 or more numbers'],
    [
      Type.Array(Type.Object({}, { title: 'page' }), { maxItems: 1 }),
      [{}, {}],
      'must be a list of at most 1 pages',
    ],
    [Type.Object({ a: Type.String() }), null, 'must be an object with a'],
  ])('%j: %j', (schema, value, sentence) => {
    expect(wrong(schema, value)).toEqual([`# ${sentence}`])
  })

  test('is told by its own rule, once its form is right', () => {
    const even = Type.String({
      maxLength: 4,
      [rule]: (text) => (text.length % 2 ? 'must be even' : undefined),
    })
    expect(wrong(even, 'ab')).toBeUndefined()
    expect(wrong(even, 'abc')).toEqual(['# must be even'])
    expect(wrong(even, 'abcde')).toEqual(['# must be a text of at most 4 characters'])
  })

  test('null means not given only where the schema says so', () => {
    const schema = Type.Object({
      a: Type.Optional(Type.OrNull(Type.Boolean())),
      b: Type.Optional(Type.Boolean()),
    })
    expect(wrong(schema, { a: null })).toBeUndefined()
    expect(wrong(schema, { b: null })).toEqual(['#/b must be true or false'])
  })

  test('unknown fields are mistakes only where the schema says so', () => {
    expect(wrong(Type.Object({}), { x: 1 })).toBeUndefined()
    expect(
      wrong(Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: false }), { x: 1 }),
    ).toEqual(['#/x is not known; known are a'])
  })

  test('characters are counted as JSON Schema does', () => {
    const schema = Type.String({ maxLength: 3 })
    expect(wrong(schema, '🦉🦉🦉')).toBeUndefined()
    expect(wrong(schema, '🦉🦉🦉🦉')).toEqual(['# must be a text of at most 3 characters'])
  })

  test('is answered with a hundred mistakes at most', () => {
    const schema = Type.Array(Type.Array(Type.Boolean()))
    const value = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 1))
    expect(wrong(schema, value)).toHaveLength(100)
  })
})
