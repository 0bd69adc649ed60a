import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHush } from '../../src/capture/hush.ts'
import { PASSWORD, USER } from '../support/camera/login-site.ts'
import { newSeen } from '../support/store/captures.ts'

const see = (url: string, title = '', secrets = [USER, PASSWORD]) =>
  createHush(secrets).seen({ ...newSeen(), url, title })

test('an address that a form made of a login does not show it', () => {
  const query = new URLSearchParams({ email: USER, password: PASSWORD, page: '2' })
  expect(see(`https://example.com/find?${query}`).url).toBe(
    'https://example.com/find?email=…&password=…&page=2',
  )
  const path = `/${encodeURIComponent(USER)}/${encodeURI(PASSWORD)}`
  expect(see(`https://example.com${path}#${encodeURIComponent(PASSWORD)}`).url).toBe(
    'https://example.com/…/…#…',
  )
})

test.each([
  ['small letters, as some servers write them', '/in?p=it%27s%20a%2fb%2bc', '/in?p=…'],
  [
    'an address within an address',
    '/in?next=%2Fhome%3Fp%3Dit%2527s%2520a%252Fb%252Bc%26q%3D1',
    '/in?next=%2Fhome%3Fp%3D…%26q%3D1',
  ],
  ['as the address bar writes it', '/in?p=it%27s%20a/b+c&q=1', '/in?p=…&q=1'],
  ['as a form writes it', '/in?p=it%27s+a%2Fb%2Bc#x', '/in?p=…#x'],
])('it is known in every spelling: %s', (_, path, left) => {
  const secret = "it's a/b+c"
  expect(see(`https://example.com${path}`, path, [secret])).toMatchObject({
    url: `https://example.com${left}`,
    title: left,
  })
})

test('also in HTML, in JSON and in Latin-1', () => {
  const titled = (title: string, secret: string) => see('https://example.com/', title, [secret]).title
  expect(titled('Hi it&#39;s &lt;me&gt;!', "it's <me>")).toBe('Hi …!')
  expect(titled('{"p":"a\\u0026b\\"c"}', 'a&b"c')).toBe('{"p":"…"}')
  expect(titled(JSON.stringify({ p: 'one\ntwo' }), 'one\ntwo')).toBe('{"p":"…"}')
  expect(titled('?p=gr%FC%DFe&q', 'grüße')).toBe('?p=…&q')
  expect(titled('100% %zz %E0%A4 &#99999999; \\', 'other')).toBe('100% %zz %E0%A4 &#99999999; \\')
})

test('a title does not either', () => {
  expect(see('https://example.com/', `${PASSWORD} of ${USER}`).title).toBe('… of …')
})

test('the host stays, and a text that is too short to be a secret', () => {
  expect(see('https://example.com/example?e', 'e', ['example', 'e'])).toMatchObject({
    url: 'https://example.com/…?e',
    title: 'e',
  })
})

test('what is left is what was there without the secrets, whatever the text', () => {
  const some = fc.array(
    fc.constantFrom('%', '%25', '%2', '&amp;', '\\', '\\u00', 'a', '+', ' ', 'é', '😀', 'secret', '%C3%A9'),
  )
  const texts = some.map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      const { title } = see('https://example.com/', text, ['secret'])
      expect(title).toBe(text.replaceAll('secret', '…'))
    }),
  )
})

test('an error does not show it, nor does its cause', () => {
  const error = new Error(`fill ${PASSWORD}`, { cause: new Error(JSON.stringify({ user: USER })) })
  const { message, cause } = createHush([USER, PASSWORD]).error(error) as Error
  expect([message, (cause as Error).message]).toEqual(['fill …', '{"user":"…"}'])
})
