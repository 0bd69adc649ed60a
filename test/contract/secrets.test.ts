import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillIn } from '../../src/contract/ask-again.ts'
import type { PageOptions } from '../../src/contract/capture-options.ts'
import { conceal } from '../../src/contract/options/secrets.ts'
import { anyCharacter } from '../support/runner/any-character.ts'

const OPTIONS: PageOptions = {
  ...{
    width: 1,
    height: 2,
    fullPage: false,
    css: 'a',
    effects: [{ effect: 'blur', options: { radius: 1 } }],
  },
  loginParameter: {
    username: { elementId: '#u', username: 'ada' },
    password: { elementId: '#p', password: 's3cret' },
    loginButton: { elementId: '#b' },
  },
  headers: { authorization: 'Bearer 1', 'x/~y': '2' },
  cookies: [
    { name: 'a', value: '3' },
    { name: 'b', value: '4' },
  ],
}

test('only secrets are removed, each leaving an empty text in its place', () => {
  const { options, secrets } = conceal(OPTIONS)
  expect(secrets).toEqual({
    '/loginParameter/username/username': 'ada',
    '/loginParameter/password/password': 's3cret',
    '/headers/authorization': 'Bearer 1',
    '/headers/x~1~0y': '2',
    '/cookies/0/value': '3',
    '/cookies/1/value': '4',
  })
  expect(options).toEqual({
    ...OPTIONS,
    loginParameter: {
      username: { elementId: '#u', username: '' },
      password: { elementId: '#p', password: '' },
      loginButton: { elementId: '#b' },
    },
    headers: { authorization: '', 'x/~y': '' },
    cookies: [
      { name: 'a', value: '' },
      { name: 'b', value: '' },
    ],
  })
})

test('options without secrets stay unchanged', () => {
  const options = { width: 1, height: 2, fullPage: true, hide: ['a'] }
  expect(conceal(options)).toEqual({ options })
})

test('property: removed secrets can be put back, whatever their names', () => {
  const text = fc.string({ unit: anyCharacter, minLength: 1 })
  fc.assert(
    fc.property(fc.dictionary(text, text), (headers) => {
      const { options, secrets = {} } = conceal({ headers })
      expect(fillIn(options, secrets)).toEqual({ headers })
    }),
  )
})
