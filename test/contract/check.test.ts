import { describe, expect, test } from 'vitest'
import { check } from '../../src/contract/check.ts'
import { DEVICE_NAMES } from '../../src/contract/options/devices.ts'
import { Effects } from '../../src/contract/options/finish.ts'
import { Device } from '../../src/contract/options/window.ts'
import { rule, type Schema, Type } from '../../src/contract/schema.ts'

const wrong = (schema: Schema, value: unknown) =>
  check(schema, value).mistakes?.map(({ pointer, detail }) => `${pointer} ${detail}`)

describe('a value that does not fit its schema', () => {
  test.each([
    [Type.Integer(), 1.5, 'must be a whole number'],
    [Type.Integer({ minimum: 0, maximum: 9 }), 10, 'must be a whole number from 0 to 9'],
    [Type.Boolean(), 'true', 'must be true or false'],
    [Type.String(), 1, 'must be a string'],
    [Type.String({ maxLength: 3 }), 'four', 'must be a string of at most 3 characters'],
    [Type.String({ minLength: 2, maxLength: 3 }), 'x', 'must be a string of 2 to 3 characters'],
    [Type.Literal('ok'), 'no', 'must be "ok"'],
    [Type.Enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
    [Type.Number(), '1', 'must be a number'],
    [Type.Number({ minimum: 0, maximum: 1 }), 1.01, 'must be a number from 0 to 1'],
    [
      Type.Record(Type.String(), { maxProperties: 1 }),
      { a: '', b: '' },
      'must be an object of at most 1 names',
    ],
    [Type.Array(Type.String()), 'x', 'must be a list of strings'],
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

  test('is reported by its own rule if its type is right', () => {
    const even = Type.String({
      maxLength: 4,
      [rule]: (text) => (text.length % 2 ? 'must be even' : undefined),
    })
    expect(wrong(even, 'ab')).toBeUndefined()
    expect(wrong(even, 'abc')).toEqual(['# must be even'])
    expect(wrong(even, 'abcde')).toEqual(['# must be a string of at most 4 characters'])
  })

  test('a name that differs by a letter from a known one gets a suggestion, and a long list is not repeated', () => {
    const scheme = Type.Enum(['light', 'dark'])
    expect(wrong(scheme, 'drak')).toEqual(['# must be one of "light", "dark"; did you mean "dark"?'])
    expect(wrong(Device, 'iphone15')).toEqual([
      `# must be one of ${DEVICE_NAMES.length} names, such as "iPhone 15"; did you mean "iPhone 15"?`,
    ])
    expect(wrong(Device, 'toaster')).toEqual([
      `# must be one of ${DEVICE_NAMES.length} names, such as "iPhone 15"`,
    ])
    expect(wrong(Effects, [{ effect: 'blurr', options: { radius: 1 } }])).toEqual([
      '#/0/effect must be one of "blur", "resize", "roundcorners", "margin", "shadow"; did you mean "blur"?',
    ])
  })

  test('null, an empty list and an empty object count as not given only if requested', () => {
    const schema = Type.Object({ a: Type.Optional(Type.Boolean()), b: Type.Integer() })
    for (const nothing of [null, [], {}]) {
      expect(wrong(schema, { a: nothing, b: 1 })).toEqual(['#/a must be true or false'])
      expect(check(schema, { a: nothing, b: 1 }, { nothing: 'not_given' })).toEqual({ value: { b: 1 } })
      expect(check(schema, { b: nothing }, { nothing: 'not_given' }).mistakes).toEqual([
        { pointer: '#/b', detail: 'must be a whole number' },
      ])
    }
  })

  test('of an object with arbitrary names is reported by its name, and so is a wrong name', () => {
    const short = {
      type: 'string',
      maxLength: 3,
      [rule]: (name: string) => (name === 'no' ? 'is no name' : undefined),
    }
    const schema = Type.Record(Type.Integer(), { propertyNames: short })
    expect(wrong(schema, { a: 1, 'b/c': 2 })).toBeUndefined()
    expect(wrong(schema, { 'b/c': 'x', long: 1, no: 1, 'a\0': 1, __proto__: 1 })).toEqual([
      '#/b~1c must be a whole number',
      '#/long must be a string of at most 3 characters',
      '#/no is no name',
      '#/a%00 must not contain a NUL character or half of a surrogate pair',
    ])
  })

  test('of one of several objects is reported by the one that it names', () => {
    const strict = { additionalProperties: false }
    const schema = Type.OneOf('kind', [
      Type.Object({ kind: Type.Literal('point'), x: Type.Integer() }, strict),
      Type.Object({ kind: Type.Literal('text') }, strict),
    ])
    expect(wrong(schema, { kind: 'point', x: 1 })).toBeUndefined()
    expect(wrong(schema, { kind: 'point' })).toEqual(['#/x must be a whole number'])
    expect(wrong(schema, { kind: 'text', x: 1 })).toEqual(['#/x is not known; known are kind'])
    for (const value of [{ kind: 'line' }, {}, { kind: null }])
      expect(wrong(schema, value)).toEqual(['#/kind must be one of "point", "text"'])
  })

  test('is reported by the rule of its whole object if the fields are right', () => {
    const schema = Type.Object(
      { a: Type.Optional(Type.Integer()) },
      { [rule]: ({ a }: { a?: number }) => (a === undefined ? 'must have an a' : undefined) },
    )
    expect(wrong(schema, {})).toEqual(['# must have an a'])
    expect(wrong(schema, { a: 'x' })).toEqual(['#/a must be a whole number'])
  })

  test('unknown fields are mistakes only if the schema says so', () => {
    expect(wrong(Type.Object({}), { x: 1 })).toBeUndefined()
    expect(
      wrong(Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: false }), { x: 1 }),
    ).toEqual(['#/x is not known; known are a'])
  })

  test('characters are counted as in JSON Schema', () => {
    const schema = Type.String({ maxLength: 3 })
    expect(wrong(schema, '🦉🦉🦉')).toBeUndefined()
    expect(wrong(schema, '🦉🦉🦉🦉')).toEqual(['# must be a string of at most 3 characters'])
  })

  test('gets at most a hundred mistakes', () => {
    const schema = Type.Array(Type.Array(Type.Boolean()))
    const value = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 1))
    expect(wrong(schema, value)).toHaveLength(100)
  })
})
