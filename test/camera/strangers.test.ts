// @module-tag browser

import { describe, expect, test } from 'vitest'
import { COOKIES, HEADERS, LOGIN, PASSWORD, useStrangers } from '../support/camera/strangers.ts'

// What frames of other sites, and sites on the way, learn of a page with secrets.

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
  test('does not learn it from words that it gets into the title', async () => {
    pages['own.test/page'] = () => frame('/writes-title') + whenAsked('/done')
    expect((await take('/page', { ...HEADERS, ...ALL })).seen).toMatchObject({ url: own('/'), title: '' })
    expect(pathsOf(asked)).toContain('/done')
  })

  test('does not choose the page that a login is filled in', async () => {
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

  test('does not learn it from a page that it tries to move', async () => {
    pages['other.test/guesses-above'] = () =>
      `${NO_REFERRER}${later(`
      top.location = 'http://sub.own.test/?right=${encodeURIComponent(PASSWORD)}'`)}`
    pages['own.test/guessed-above'] = () => form()
    const { seen } = await take('/guessed-above', { ...LOGIN, ...ALL })
    expect(seen.url).toBe(own('/guessed-above'))
    expect(pathsOf(asked)).toContain('/guesses-above')
  })

  test('reads no answer that the browser has kept', async () => {
    await take('/keeps', { ...HEADERS, ...ALL })
    const data = asked.filter(({ path }) => path === '/data')
    expect(pathsOf(asked)).toContain('/has-read')
    expect(data.map((each) => each.text.includes('9f31'))).toEqual([true, false])
  })

  test('does not show in its picture what the server answers to headers and cookies', async () => {
    for (const given of [HEADERS, COOKIES]) {
      await take('/shows', given)
      expect(told()).toEqual(['/chart', '/shows'])
      asked.splice(0)
    }
  })
})

test('a site on the way leaves nothing where a login is filled in', async () => {
  const failure = await failureOf(take('/flash', { ...LOGIN, loadingTime: 3_000 }))
  expect(failure.message).toContain(`was reached by way of ${other('')}`)
  expect(told()).toEqual([])
})

test.each(['post', 'fragment', 'query', 'keepalive', 'prerender'])(
  'a site on the way does not choose what is asked with secrets: %s',
  async (to) => {
    const path = `/leads-around?to=${to}`
    const { seen } = await take(path, { ...HEADERS, ...COOKIES })
    const have = asked.filter((each) => each.text.includes('9f31'))
    // The address that was given still has them.
    expect(have.map(({ path }) => path)).toEqual(Array(to === 'keepalive' ? 2 : 1).fill('/leads-around'))
    expect(asked.filter(({ origin }) => origin === own('')).length).toBeGreaterThan(1)
    expect(seen).toMatchObject({ url: own('/'), title: '' })
    asked.splice(0)
    const failure = await failureOf(take(path, { ...LOGIN, loadingTime: 3_000 }))
    expect(failure.message).toContain(`was reached by way of ${other('')}`)
    expect(told()).toEqual([])
  },
)
