import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CaptureFailure } from '../../src/camera/camera.ts'
import { createHush } from '../../src/capture/hush.ts'
import { PASSWORD, USER } from '../support/camera/login-site.ts'
import { newSeen } from '../support/store/captures.ts'

const GIVEN = { url: 'https://example.com/in', home: ['https://example.com'] }

/** The title that is left. */
const titled = async (title: string, ...secrets: string[]) =>
  (await see('https://example.com/', title, secrets)).title
const see = async (url: string, title = '', secrets = [USER, PASSWORD]) =>
  await createHush(secrets, GIVEN).seen({ ...newSeen(), url, title })

test('a URL does not show a login that a form wrote into it', async () => {
  const query = new URLSearchParams({ email: USER, password: PASSWORD, page: '2' })
  expect((await see(`https://example.com/find?${query}`)).url).toBe(
    'https://example.com/find?email=…&password=…&page=2',
  )
  const path = `/${encodeURIComponent(USER)}/${encodeURI(PASSWORD)}`
  expect((await see(`https://example.com${path}#${encodeURIComponent(PASSWORD)}`)).url).toBe(
    'https://example.com/…/…#…',
  )
})

test.each([
  ['lower case, as some servers write it', '/in?p=it%27s%20a%2fb%2bc', '/in?p=…'],
  [
    'a URL within a URL',
    '/in?next=%2Fhome%3Fp%3Dit%2527s%2520a%252Fb%252Bc%26q%3D1',
    '/in?next=%2Fhome%3Fp%3D…%26q%3D1',
  ],
  ['as the address bar writes it', '/in?p=it%27s%20a/b+c&q=1', '/in?p=…&q=1'],
  ['as a form writes it', '/in?p=it%27s+a%2Fb%2Bc#x', '/in?p=…#x'],
])('a secret is found in every spelling: %s', async (_, path, left) => {
  const secret = "it's a/b+c"
  expect(await see(`https://example.com${path}`, path, [secret])).toMatchObject({
    url: `https://example.com${left}`,
    title: left,
  })
})

test('a secret is found in HTML, in JSON and in Latin-1', async () => {
  expect(await titled('Hi it&#39;s &lt;me&gt;!', "it's <me>")).toBe('Hi …!')
  expect(await titled('{"p":"a\\u0026b\\"c"}', 'a&b"c')).toBe('{"p":"…"}')
  expect(await titled(JSON.stringify({ p: 'one\ntwo' }), 'one\ntwo')).toBe('{"p":"…"}')
  expect(await titled('?p=gr%FC%DFe&q', 'grüße')).toBe('?p=…&q')
  expect(await titled('100% %zz %E0%A4 &#99999999; \\', 'other')).toBe('100% %zz %E0%A4 &#99999999; \\')
})

test('a secret is found in a title that collapses white space', async () => {
  expect(await titled('Hi one two three!', ' one  two\n three ')).toBe('Hi …!')
  expect(await titled(`${PASSWORD} of ${USER}`, USER, PASSWORD)).toBe('… of …')
})

test('the host name stays, and so does a text that is too short to be a secret', async () => {
  expect(await see('https://example.com/example?e', 'e', ['example', 'e'])).toMatchObject({
    url: 'https://example.com/…?e',
    title: 'e',
  })
})

test('the text that remains was there without the secrets, whatever the text', async () => {
  const some = fc.array(
    fc.constantFrom('%', '%25', '%2', '&amp;', '\\', '\\u00', 'a', '+', ' ', 'é', '😀', 'secret', '%C3%A9'),
  )
  const texts = some.map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      expect(await titled(text, 'secret')).toBe(text.replaceAll('secret', '…'))
    }),
  )
})

test('another site cannot test guesses: only its origin is shown', async () => {
  const seen = await see(`https://other.example:8443/${PASSWORD}/x`, `x ${USER} or y`)
  expect(seen).toMatchObject({ url: 'https://other.example:8443/', title: '' })
  expect(await see(`https://${USER}.example/`, '')).toMatchObject({ url: `https://${USER}.example/` })
  expect(await see(`data:text/html,${PASSWORD}`, USER)).toMatchObject({ url: 'data:', title: '' })
  const failure = new CaptureFailure('dns', `${USER}.example: its host name was not found.`)
  expect(await createHush([USER], GIVEN).error(failure)).toMatchObject({ message: failure.message })
})

test('a page without secrets is shown unchanged', async () => {
  expect(await see('https://other.example/a', 'Title', [])).toMatchObject({
    url: 'https://other.example/a',
    title: 'Title',
  })
})

test('the decoded form of a secret is a secret, too', async () => {
  expect(await titled('Hi first program!', 'first%20program')).toBe('Hi …!')
  expect(await titled('Hi ada.lovelace!', encode('ada.lovelace', 'base64'))).toBe('Hi …!')
  expect(await titled('100% %zz', '%zz-secret')).toBe('100% %zz')
})

test('neither an error nor its cause shows a secret', async () => {
  const error = new Error(`fill ${PASSWORD}`, { cause: new Error(JSON.stringify({ user: USER })) })
  const { message, cause } = (await createHush([USER, PASSWORD], GIVEN).error(error)) as Error
  expect([message, (cause as Error).message]).toEqual(['fill …', '{"user":"…"}'])
})

test('texts known without the page stay unchanged: a gap would show which of their words is a user name', async () => {
  const hush = createHush(['admin'], { url: 'https://example.com/admin', home: ['https://example.com'] })
  const notes = [{ note: 'click', detail: '#admin was not clicked.' }] as const
  const seen = {
    ...newSeen(),
    url: 'https://example.com/admin?by=admin',
    title: 'Hi admin',
    notes: [...notes],
  }
  expect(await hush.seen(seen)).toMatchObject({
    ...{ url: 'https://example.com/admin?by=…', title: 'Hi …' },
    notes,
  })
  expect(await hush.seen({ ...seen, url: 'https://example.com/adminadmin' })).toMatchObject({
    url: 'https://example.com/……',
  })
  const failure = new CaptureFailure('wait_for', '#admin did not become visible within 4000 ms.')
  expect(await hush.error(failure)).toMatchObject({ message: failure.message })
})

const encode = (text: string, as: BufferEncoding) => Buffer.from(text).toString(as)
const backwards = (text: string) => [...text].reverse().join('')
const decimals = (text: string) => [...text].map((each) => `&#${each.codePointAt(0)};`).join('')
const hexadecimals = (text: string) =>
  [...text].map((each) => `&#x${each.codePointAt(0)?.toString(16)};`).join('')
const NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '!': 'excl',
  '@': 'commat',
  é: 'eacute',
  ß: 'szlig',
  _: 'lowbar',
}
const named = (text: string) => text.replaceAll(/[&<!@éß_]/g, (each) => `&${NAMES[each]};`)
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Forms of a secret that pages plausibly contain. */
const WRITINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'in lower case': (secret) => secret.toLowerCase(),
  backwards,
  'in Base64': (secret) => encode(secret, 'base64'),
  'in Base64 without padding': (secret) => encode(secret, 'base64').replaceAll('=', ''),
  'in URL-safe Base64': (secret) => encode(secret, 'base64url'),
  'in Base64 in a URL': (secret) => encodeURIComponent(encode(secret, 'base64')),
  'in Base64 in a form': (secret) => `${new URLSearchParams({ p: encode(secret, 'base64') })}`,
  'in Base64 of upper case': (secret) => encode(secret.toUpperCase(), 'base64'),
  'in hexadecimal': (secret) => encode(secret, 'hex'),
  'in upper-case hexadecimal': (secret) => encode(secret, 'hex').toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded, every byte, in lower case': percent,
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'as named HTML entities': named,
  'as decimal HTML entities': decimals,
  'as hexadecimal HTML entities': hexadecimals,
  'in JSON': (secret) => JSON.stringify(secret),
  'in a Basic header': (secret) => `Basic ${encode(`someone:${secret}`, 'base64')}`,
}

const anySecret = () =>
  fc.oneof(
    fc.string({ minLength: 6, maxLength: 40 }).filter((text) => text.trim().length >= 6),
    fc.string({ minLength: 6, maxLength: 20, unit: fc.constantFrom(...'aZ09é ß_-+/=&<>!@"\\%ж漢😀ΣσÅ') }),
  )

test.each(Object.entries(WRITINGS))('a title does not show a secret %s', async (_, write) => {
  const around = fc.constantFrom('', ' ', 'x', 'Hello ', ': ', 'é')
  await fc.assert(
    fc.asyncProperty(anySecret(), around, around, async (secret, before, after) => {
      const written = write(secret)
      const title = await titled(before + written + after, secret)
      expect(title).toContain('…')
      expect(title).not.toContain(written)
      // Not even its middle, which the neighbouring test data cannot contain.
      if (written.length > 12) expect(title).not.toContain(written.slice(2, -3))
    }),
    { numRuns: 150 },
  )
})

test('a secret is found at every place of a longer text in Base64', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 7 }),
      anySecret(),
      fc.uint8Array({ maxLength: 7 }),
      async (before, secret, after) => {
        const bytes = Buffer.concat([before, Buffer.from(secret), after])
        const whole = Buffer.from(secret).toString('base64').slice(3, -5)
        for (const as of ['base64', 'base64url'] as const) {
          const title = await titled(bytes.toString(as), secret)
          expect(title).toContain('…')
          const left = Buffer.from(title.replace(/…/g, ''), 'base64')
          expect(left.includes(Buffer.from(secret))).toBe(false)
          if (before.length % 3 === 0 && whole.length > 4) expect(title).not.toContain(whole)
        }
      },
    ),
  )
})

test('the user name and password of a Basic header are secrets, too', async () => {
  const header = `Basic ${encode('ada.lovelace:first program', 'base64')}`
  expect(await titled('ada.lovelace has the FIRST PROGRAM', header)).toBe('… has the …')
})

test('a long secret is also found by its beginning, and where a title was cut', async () => {
  const secret = Buffer.from(Array.from({ length: 1_000 }, (_, index) => 33 + ((index * 7) % 90))).toString()
  expect(await titled(`x ${secret.slice(0, 200)}, and more`, secret)).toBe('x … and more')
  const title = `${`${secret} `.repeat(19)}${'-'.repeat(950)}${secret}`
  expect(await titled(title, secret)).not.toContain(secret.slice(0, 20))
})

test('a guess that begins like a long secret does not reveal how much of it is right', async () => {
  const secret = `${'k'.repeat(64)}right`
  const guesses = ['r', 'x'].map((guess) => `${'k'.repeat(64)}${guess}~`)
  const left = await Promise.all(guesses.map((guess) => titled(`a=${guess}&b end`, secret)))
  expect(left).toEqual(['a=… end', 'a=… end'])
})

test('other work continues while the longest title is searched for the most secrets', async () => {
  const secrets = Array.from({ length: 150 }, (_, index) => `${'a'.repeat(1_300)}${index}`)
  for (const piece of ['a', 'YWFh', '61', '%2561', 'é', '&#x61;']) {
    let turns = 0
    let isOver = false
    const others = async () => {
      for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve))
    }
    const counted = others()
    await titled(piece.repeat(20_000 / piece.length), ...secrets)
    isOver = true
    await counted
    expect(turns).toBeGreaterThan(3)
  }
}, 60_000)
