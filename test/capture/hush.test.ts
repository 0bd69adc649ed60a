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

test('a title does not either', () => {
  expect(see('https://example.com/', `${PASSWORD} of ${USER}`).title).toBe('… of …')
})

test('the host stays, and a text that is too short to be a secret', () => {
  expect(see('https://example.com/example?e', 'e', ['example', 'e'])).toMatchObject({
    url: 'https://example.com/…?e',
    title: 'e',
  })
})

test('an error does not show it, nor does its cause', () => {
  const error = new Error(`fill ${PASSWORD}`, { cause: new Error(JSON.stringify({ user: USER })) })
  const { message, cause } = createHush([USER, PASSWORD]).error(error) as Error
  expect([message, (cause as Error).message]).toEqual(['fill …', '{"user":"…"}'])
})
