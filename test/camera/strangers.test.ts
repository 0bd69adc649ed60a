// @module-tag browser

import { describe, expect, test } from 'vitest'
import { HTML } from '../support/camera/camera.ts'
import { COOKIES, HEADERS, LOGIN, PASSWORD, useStrangers } from '../support/camera/strangers.ts'

// Attempts of frames of other sites, and of sites in between, to learn the secrets of a page.

const {
  asked,
  take,
  own,
  other,
  frame,
  form,
  later,
  whenAsked,
  pages,
  failureOf,
  pathsOf,
  told,
  GUESSES,
  ALL,
  NO_REFERRER,
} = useStrangers()

describe('a frame of another site', () => {
  test('does not learn a secret from words that it gets into the title', async () => {
    pages['own.test/page'] = () => frame('/writes-title') + whenAsked('/done')
    expect((await take('/page', { ...HEADERS, ...ALL })).seen).toMatchObject({ url: own('/'), title: '' })
    expect(pathsOf(asked)).toContain('/done')
  })

  test('does not choose the page on which a login is filled in', async () => {
    pages['own.test/page'] = () => frame('/quietly')
    pages['own.test/moved'] = () => form()
    await failureOf(take('/page', { ...LOGIN, loadingTime: 3_000 }))
    expect(told()).toEqual([])
  })

  test('does not learn which of its guesses is right', async () => {
    await take('/watched', { ...LOGIN, ...ALL })
    expect(pathsOf(asked)).toEqual(expect.arrayContaining(GUESSES))
  })

  test('does not lead back to a form that was filled in', async () => {
    const { seen } = await take('/returns', { ...LOGIN, ...ALL })
    expect(pathsOf(asked)).toContain('/back')
    expect(asked.filter(({ path }) => path === '/returns')).toHaveLength(2)
    expect(seen.url).toBe(own('/returns'))
  })

  test('does not learn a secret from a page that it tries to move', async () => {
    pages['other.test/guesses-above'] = () =>
      `${NO_REFERRER}${later(`
      top.location = 'http://sub.own.test/?right=${encodeURIComponent(PASSWORD)}'`)}`
    pages['own.test/guessed-above'] = () => form()
    const { seen } = await take('/guessed-above', { ...LOGIN, ...ALL })
    expect(seen.url).toBe(own('/guessed-above'))
    expect(pathsOf(asked)).toContain('/guesses-above')
  })

  test('reads no answer from the browser’s cache', async () => {
    await take('/keeps', { ...HEADERS, ...ALL })
    const data = asked.filter(({ path }) => path === '/data')
    expect(pathsOf(asked)).toContain('/has-read')
    expect(data.map((each) => each.text.includes('9f31'))).toEqual([true, false])
  })

  test('reads no answer from the browser’s cache that was made for a login either, even as a subdomain', async () => {
    await take('/keeps-inside', { ...LOGIN, ...ALL })
    expect(asked.filter(({ path }) => path === '/data')).toHaveLength(2)
  })

  test('does not choose what is asked with cookies by an own document that it goes back to', async () => {
    for (const given of [COOKIES, { ...HEADERS, ...COOKIES }]) {
      asked.splice(0)
      pages['own.test/page'] = () => `${frame('/comes-back')}${whenAsked('/returned', '/by-returned')}
        <script>setTimeout(() => { fetch('/by-page') }, 1500)</script>`
      await take('/page', { ...given, ...ALL, delay: 2_000 })
      expect(pathsOf(asked)).toEqual(
        expect.arrayContaining(['/by-returned', '/by-returned-later', '/by-page']),
      )
      // The page itself still has them.
      expect(told()).toEqual(['/by-page', '/page'])
    }
  })

  test.each([
    ['a data: address', (inside: string) => `data:text/html,${encodeURIComponent(inside)}`],
    ['a sandbox of its server', () => '/uploaded'],
  ])(
    'does not choose what is asked for by leading its frame to an own document: from %s',
    async (_, address) => {
      const inside = `<img src=${other('/tried')}>${later(`location = '${own('/returned')}'`)}`
      pages['own.test/uploaded'] = () => (answer) =>
        void answer
          .writeHead(200, { ...HTML, 'content-security-policy': 'sandbox allow-scripts' })
          .end(inside)
      pages['own.test/page'] = () => `<iframe src="${address(inside)}"></iframe>${whenAsked('/tried')}`
      await take('/page', { ...HEADERS, ...COOKIES, ...ALL, delay: 2_000 })
      expect(pathsOf(asked)).toEqual(expect.arrayContaining(['/returned', '/tried']))
      expect(told().filter((path) => path !== '/uploaded')).toEqual(['/page'])
    },
  )

  test('cannot show in its picture how the server answers headers and cookies', async () => {
    for (const given of [HEADERS, COOKIES]) {
      await take('/shows', given)
      expect(told()).toEqual(['/chart', '/shows'])
      asked.splice(0)
    }
  })
})

test('a site in between leaves nothing on the page where a login is filled in', async () => {
  const failure = await failureOf(take('/flash', { ...LOGIN, loadingTime: 3_000 }))
  expect(failure.message).toContain(`was reached by way of ${other('')}`)
  expect(told()).toEqual([])
})

test.each(['post', 'fragment', 'query', 'keepalive', 'prerender'])(
  'a site in between does not choose which URL is requested with secrets: %s',
  async (to) => {
    const path = `/leads-around?to=${to}`
    const { seen } = await take(path, { ...HEADERS, ...COOKIES })
    const have = asked.filter((each) => each.text.includes('9f31'))
    // The given URL still gets them.
    expect(have.map(({ path }) => path)).toEqual(Array(to === 'keepalive' ? 2 : 1).fill('/leads-around'))
    expect(asked.filter(({ origin }) => origin === own('')).length).toBeGreaterThan(1)
    expect(seen).toMatchObject({ url: own('/'), title: '' })
    asked.splice(0)
    const failure = await failureOf(take(path, { ...LOGIN, loadingTime: 3_000 }))
    expect(failure.message).toContain(`was reached by way of ${other('')}`)
    expect(told()).toEqual([])
  },
)
