import { expect, test } from 'vitest'
import { concealLogin } from '../../src/camera/steps/conceal.ts'
import { LOGIN, PASSWORD, USER } from '../support/camera/login-site.ts'

const see = (url: string, title = '') => concealLogin({ url, title }, LOGIN)

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

test('a title does not either', () => {
  expect(see('https://example.com/', `${PASSWORD} of ${USER}`)).toEqual({
    url: 'https://example.com/',
    title: '… of …',
  })
})

test('the host stays, and a text that is too short to be a secret', () => {
  const username = { ...LOGIN.username, username: 'example' }
  const password = { ...LOGIN.password, password: 'e' }
  const seen = { url: 'https://example.com/example?e', title: 'e' }
  expect(concealLogin(seen, { ...LOGIN, username, password }).url).toBe('https://example.com/…?e')
  expect(concealLogin(seen, undefined)).toBe(seen)
})
