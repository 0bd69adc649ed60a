// @module-tag browser

import { describe, expect, test } from 'vitest'
import { HTML, readPixels } from '../support/camera/camera.ts'
import { COOKIES, HEADERS, LOGIN, useStrangers } from '../support/camera/strangers.ts'

// Attempts of frames of other sites to move a page with secrets.

const {
  asked,
  site,
  port,
  take,
  own,
  other,
  frame,
  form,
  later,
  farBelow,
  whenAsked,
  pages,
  failureOf,
  pathsOf,
  told,
  ALL,
  NO_REFERRER,
} = useStrangers()

/** For pages that never come to rest: frames that scroll all the time keep them from drawing. Whatever is awaited must come within it. */
const SHORT = 12_000

describe('a frame of another site', () => {
  test('does not move the page', async () => {
    const ways = ['location', 'quietly', 'opens', 'link', 'form', 'again', 'nested', 'scripted', 'reloads']
    pages['own.test/page'] = () =>
      ways.map((way) => frame(`/${way}`)).join('') + whenAsked(...ways.map((way) => `/${way}`))
    const { seen } = await take('/page', { ...HEADERS, ...COOKIES, ...ALL })
    expect(seen.url).toBe(own('/page'))
    expect(pathsOf(asked)).toEqual(['/page', ...ways.map((way) => `/${way}`)].sort())
    expect(asked.filter(({ path }) => path === '/page')).toHaveLength(1)
  })

  test.each([
    ['/through-own', '/leads-the-page'],
    ['/back-to-own', '/leads-the-page'],
    ['/moves-to-own', '/search'],
    ['/by-blob', '/search'],
    ['/by-data', '/search'],
    ['/by-blank', '/search'],
  ])('does not move the page by way of a frame of the page’s own origin: %s', async (path, inIt) => {
    pages['own.test/page'] = () => frame(path) + whenAsked(inIt)
    await take('/page', { ...HEADERS, ...ALL })
    expect(pathsOf(asked)).toContain(inIt)
    expect(pathsOf(asked)).not.toContain('/moved')
    expect(asked.filter(({ path }) => path === '/search').length).toBeLessThan(2)
    expect(told()).toEqual(['/page'])
  })

  const tries = (script: string) => `${NO_REFERRER}<img src=${other('/tried')}>${later(script)}`
  const moves = () => tries(`top.location = '${own('/moved')}'`)
  const posts = () =>
    tries(
      `document.body.innerHTML = '<form method=post target=_top action=${own('/moved')}></form>'; document.forms[0].submit()`,
    )
  const triesForLong = () =>
    tries(`let n = 0; setInterval(() => { top.location = '${own('/moved')}?' + n++ }, 150)`)
  const SANDBOX = 'allow-scripts allow-forms allow-top-navigation'

  test.each([
    ['a sandboxed one', () => `<iframe sandbox="${SANDBOX}" srcdoc="${moves()}"></iframe>`],
    ['a sandboxed one, by a form', () => `<iframe sandbox="${SANDBOX}" srcdoc="${posts()}"></iframe>`],
    ['one of a data: address', () => `<iframe src="data:text/html,${encodeURIComponent(moves())}"></iframe>`],
    [
      'one of a data: address, by a form',
      () => `<iframe src="data:text/html,${encodeURIComponent(posts())}"></iframe>`,
    ],
    ['one that its own server sandboxes, and that tries for long', () => '<iframe src=/uploaded></iframe>'],
  ])('does not move the page either if its document has no origin: %s', async (_, shown) => {
    pages['own.test/page'] = () => shown() + whenAsked('/tried')
    pages['own.test/uploaded'] = () => (answer) =>
      void answer
        .writeHead(200, { ...HTML, 'content-security-policy': `sandbox ${SANDBOX}` })
        .end(triesForLong())
    const { seen } = await take('/page', { ...HEADERS, ...COOKIES, ...ALL, delay: 2_500 })
    expect(pathsOf(asked)).not.toContain('/moved')
    expect(seen.url).toBe(own('/page'))
  })

  test.each(['/embeds', '/sandboxes'])(
    'does not move the page from a frame inside a frame of its own origin: %s',
    async (path) => {
      pages['own.test/moved'] = () => form()
      const origins = [`http://sso.test:${site.port}`]
      const loginParameter = { ...LOGIN.loginParameter, origins }
      await failureOf(take(path, { ...HEADERS, loginParameter, loadingTime: 3_000 }))
      expect(pathsOf(asked)).toContain('/quietly')
      expect(pathsOf(asked)).not.toContain('/moved')
      await take(path, HEADERS)
      expect(pathsOf(asked)).not.toContain('/moved')
    },
  )

  test.each([
    ['/announces', '/posts', '/announced'],
    ['/submits-twice', '/posts', '/announced'],
    ['/routes', '/posts-often', '/routes'],
  ])('does not use a navigation that the page has announced before: %s', async (path, by, last) => {
    await take(path, { ...HEADERS, ...ALL })
    expect(pathsOf(asked)).toContain(by)
    expect(pathsOf(asked)).toContain(last)
    expect(asked.filter(({ path, text }) => path === '/announced' && text.includes('a='))).toEqual([])
  })

  test('does not use a second announcement that the page will be loaded again', async () => {
    await take('/reloads-twice', { ...HEADERS, delay: 2_500 })
    const all = asked.filter(({ path }) => path === '/reloads-twice')
    expect(pathsOf(asked)).toContain('/posts-often')
    expect(all.length).toBeGreaterThan(1)
    expect(all.filter(({ text }) => text.includes('a='))).toEqual([])
  })

  test('does not move a page at the path / by way of a frame that sends only its origin as referrer', async () => {
    pages['own.test/'] = () => frame('/by-blank') + whenAsked('/search')
    pages['own.test/search'] = () =>
      `<meta name=referrer content=origin><script>if (top !== self) top.location = self.location</script>`
    const { seen } = await take('/', { ...HEADERS, ...ALL })
    expect(pathsOf(asked)).toContain('/search')
    expect(seen.url).toBe(own('/'))
    expect(told()).toEqual(['/'])
  })

  test.each(['/fragment', '/chooses-fragment', '/back'])(
    'does not choose the fragment of the page: %s',
    async (path) => {
      pages['own.test/page'] =
        () => `<script>if (top !== self) top.location = self.location</script>${frame(path)}<script>
      history.replaceState('', '', '#first'); history.pushState('', '', '#second')
      onhashchange = () => { document.body.innerHTML = ${JSON.stringify(`<p id=shown>Shown</p>${form()}`)} }</script>`
      const shot = take('/page', { ...HEADERS, delay: 0, waitFor: '#shown' })
      expect((await failureOf(shot)).message).toContain(`A frame of ${other('')} led`)
      asked.splice(0)
      const login = take('/page', { ...LOGIN, loadingTime: 3_000, delay: 0 })
      expect((await failureOf(login)).message).toContain(`was reached by way of ${other('')}`)
      expect(told()).toEqual([])
    },
  )

  test('does not lead a frame of the page’s own origin back through the history', async () => {
    pages['own.test/page'] = () =>
      `<iframe id=f src=/first></iframe>${frame('/leads-back')}<script>
       f.onload = () => { f.onload = null; setTimeout(() => { f.contentWindow.location = '/second' }, 100) }</script>`
    pages['other.test/leads-back'] = () => `<script>setTimeout(() => { history.back() }, 1500)</script>`
    const shot = take('/page', { ...HEADERS, delay: 2_500 })
    expect((await failureOf(shot)).message).toContain(`A frame of ${other('')} led`)
    expect(pathsOf(asked)).toContain('/second')
  })

  test('does not scroll the page that is captured', async () => {
    pages['own.test/page'] = () =>
      `<div style="height:200px;background:#00ff00"></div>${farBelow('/scrolls')}${whenAsked('/scrolls')}`
    for (const given of [HEADERS, { ...HEADERS, fullPage: true }]) {
      const shot = await take('/page', { ...given, ...ALL })
      expect((await readPixels(shot.bytes)).at(10, 10)).toBe('#00ff00')
      asked.splice(0)
    }
  })

  const closed = (inside: string) => `<div><template shadowrootmode=closed>${inside}</template></div>`
  const slotted = (inside: string) =>
    `<div><template shadowrootmode=open><div style="height:150px;overflow:auto"><div style="height:200px;background:#00ff00"></div>
     <slot></slot></div></template>${inside}</div>`
  const TOP = '<div style="height:200px;background:#00ff00"></div>'

  test.each([
    ['in a closed shadow root', () => TOP + closed(farBelow('/scrolls')) + whenAsked('/scrolls')],
    ['in a closed shadow root of a page without a script', () => TOP + closed(farBelow('/scrolls'))],
    ['in a box of a shadow root', () => slotted(farBelow('/scrolls')) + whenAsked('/scrolls')],
    [
      'that is removed afterwards',
      () =>
        `${TOP}${farBelow('/scrolls')}${whenAsked('/scrolls')}<script>setTimeout(() => {
          document.querySelector('iframe').remove() }, 900)</script>`,
    ],
    [
      'that another one scrolls away from',
      () =>
        // The first frame scrolls the box, and is outside the window when the second one has scrolled that back.
        `${frame('/to-start')}<div style="height:600px;overflow:auto">${TOP}<div style="height:1800px"></div>${frame('/to-end')}</div>
         ${whenAsked('/to-start', '/to-end')}`,
    ],
  ])('scrolls nothing of it either %s', async (_, shown) => {
    pages['own.test/page'] = shown
    const isScripted = shown().includes('/asked')
    const shot = await take('/page', { ...HEADERS, ...(isScripted && ALL), delay: 2_000, loadingTime: SHORT })
    const picture = await readPixels(shot.bytes)
    const places = Array.from({ length: 40 }, (_, index) => picture.at(10, index * 10 + 5))
    expect(places).toContain('#00ff00')
  })

  test('cannot be in the way of being stopped: then there is no picture', async () => {
    pages['own.test/page'] = () => `${TOP}${farBelow('/is-busy')}${whenAsked('/is-busy')}`
    const shot = take('/page', { ...HEADERS, ...ALL, loadingTime: SHORT })
    expect((await failureOf(shot)).message).toContain('could not be stopped')
  })

  test('does not scroll a part of the page', async () => {
    pages['own.test/page'] = () =>
      `<div style="height:150px;overflow:auto"><div style="height:200px;background:#00ff00"></div>${farBelow('/scrolls')}</div>
       ${whenAsked('/scrolls')}`
    const shot = await take('/page', { ...HEADERS, ...ALL })
    expect((await readPixels(shot.bytes)).at(10, 10)).toBe('#00ff00')
  })

  test.each([
    ['another port', () => `http://own.test:${port.port}/quietly`],
    ['a subdomain', () => `http://sub.own.test:${site.port}/quietly`],
  ])('does not move a page of the same site: %s', async (_, address) => {
    pages[`own.test/quietly`] = () => NO_REFERRER + later(`top.location = '${own('/moved')}'`)
    pages['own.test/page'] = () => `<iframe src="${address()}"></iframe>${whenAsked('/quietly')}`
    const { seen } = await take('/page', { ...HEADERS, ...COOKIES, ...ALL })
    expect(seen.url).toBe(own('/page'))
    expect(pathsOf(asked)).toEqual(['/page', '/quietly'])
    expect(told()).toEqual(['/page'])
  })
})

test.each(['/goes-on', '/goes-on-to-a-fragment', '/goes-on-quietly', '/submits', '/refreshes', '/links'])(
  'a page with such a frame still navigates by itself, with its secrets: %s',
  async (path) => {
    const { seen } = await take(path, { ...HEADERS, ...COOKIES, delay: 0, waitFor: '#next' })
    expect(seen.url).toBe(own('/next'))
    expect(told()).toEqual([path, '/next'].sort())
  },
)

test('a page with such a frame can reload itself', async () => {
  await take('/loads-again', HEADERS)
  const again = asked.filter(({ path }) => path === '/loads-again')
  expect(again.map((each) => each.text.includes('9f31'))).toEqual([true, true])
})
