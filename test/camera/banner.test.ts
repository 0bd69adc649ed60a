// @module-tag browser

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  HTML,
  openTestCamera,
  paint,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera/camera.ts'

const GREEN = '#00ff00'
const RED = '#ff0000'
const BANNER = `position:fixed;left:0;bottom:0;width:100%;height:200px;background:${RED}`
const DECLINE = { cookieBanners: 'decline' } as const

/** Cookie-Script: closed with a click. Its answer is fetched, and the result is drawn. */
const COOKIE_SCRIPT = `<div id=cookiescript_injected style="${BANNER}">We value your privacy
    <button id=cookiescript_accept onclick="fetch('/accepted')">Accept all</button>
    <button id=cookiescript_reject onclick="decline()">Decline all</button></div>
  <script>async function decline() {
    document.querySelector('#cookiescript_injected').remove()
    await fetch('/declined')
    document.body.insertAdjacentHTML('beforeend', '<div style="height:100px;background:#0000ff"></div>')
  }</script>`

/** Klaro: closed by a script in the page. The page tries to notice and to prevent that. */
const KLARO = `<div class=klaro style="${BANNER}"><div class=cookie-notice>We use cookies</div></div><script>
  globalThis.autoconsentSendMessage = globalThis.autoconsentReceiveMessage = () => { throw new Error('tampered') }
  JSON.stringify = JSON.parse = setTimeout = () => { throw new Error('tampered') }
  const manager = { changeAll() {}, saveAndApplyConsents: () => document.querySelector('.klaro').remove() }
  globalThis.klaro = { show() {}, getManager: () => manager }
  addEventListener('load', () => { document.title = 'world ' + (typeof tellProofsheet) })
  </script>`

let site: Site
let camera: TestCamera

beforeAll(async () => {
  site = await serveSite({
    '/none': paint(GREEN, '<p>Nothing asks for anything here.</p><script>1</script>'),
    '/cookie-script': paint(GREEN, COOKIE_SCRIPT),
    '/klaro': paint(GREEN, KLARO),
    // A banner that cannot be answered.
    '/stubborn': paint(GREEN, `<div id=cookiescript_injected style="${BANNER}">We use cookies</div>`),
    // Piano: in a frame of another site, which has a process of its own.
    '/in-a-frame': (answer) => {
      const frame = `<iframe src="http://other.example:${site.port}/frame" style="${BANNER};border:0"></iframe>`
      answer.writeHead(200, HTML).end(paint(GREEN, frame))
    },
    '/frame': paint(
      RED,
      `<div id=piano-cookie_banner>We use cookies <button data-close-button
        onclick="document.documentElement.style.background = '${GREEN}'">No</button></div><script>1</script>`,
    ),
    '/reloads': paint(
      GREEN,
      `<script>if (!sessionStorage.declined) document.write(\`<div id=cookiescript_injected style="${BANNER}">We use cookies
        <button id=cookiescript_reject onclick="sessionStorage.declined = 1; location.reload()">Decline</button></div>\`)</script>`,
    ),
    '/declined': '',
    '/accepted': '',
  })
  camera = openTestCamera({ allow: `site.test:${site.port},other.example:${site.port}` })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

async function take(path: string, options: object = DECLINE) {
  const { bytes, seen } = await camera.take(`http://site.test:${site.port}${path}`, {
    ...{ width: 600, height: 400, loadingTime: 30_000 },
    ...options,
  })
  const picture = await readPixels(bytes)
  return { seen, above: picture.at(300, 50), below: picture.at(300, 390) }
}

describe('a banner that asks for consent', () => {
  test('stays if the request does not ask to decline it', async () => {
    expect(await take('/cookie-script', {})).toMatchObject({ below: RED })
  })

  test('is declined, and the picture is taken when the page is at rest again', async () => {
    const { seen, above, below } = await take('/cookie-script')
    expect({ above, below, notes: seen.notes }).toEqual({ above: '#0000ff', below: GREEN, notes: undefined })
    expect(site.asked).toContain('/declined')
    expect(site.asked).not.toContain('/accepted')
  })

  test('is declined by a script in the page, and the page notices nothing', async () => {
    const { seen, below } = await take('/klaro')
    expect({ below, notes: seen.notes, title: seen.title }).toEqual({
      ...{ below: GREEN, notes: undefined, title: 'world undefined' },
    })
  })

  test('is declined in a frame of another site', async () => {
    const { seen, below } = await take('/in-a-frame')
    expect({ below, notes: seen.notes }).toEqual({ below: GREEN, notes: undefined })
  })

  test('is declined on a page that reloads afterwards', async () => {
    const { seen, below } = await take('/reloads')
    expect({ below, notes: seen.notes }).toEqual({ below: GREEN, notes: undefined })
  })

  test('is noted if it cannot be declined', async () => {
    const { seen, below } = await take('/stubborn')
    expect({ below, notes: seen.notes }).toEqual({
      below: RED,
      notes: [
        {
          note: 'cookie_banner',
          detail: 'A banner that asks for consent was found, but it could not be declined.',
        },
      ],
    })
  })
})

test('a page without a banner is captured unchanged, with a note', async () => {
  const { seen, below } = await take('/none')
  expect({ below, notes: seen.notes }).toEqual({
    below: GREEN,
    notes: [{ note: 'cookie_banner', detail: 'No banner that asks for consent was found.' }],
  })
})
