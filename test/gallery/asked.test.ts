import { expect, test } from 'vitest'
import { askedFor, windowsName } from '../../gallery/src/asked.ts'

test('every option is described in words, without secrets', () => {
  const words = askedFor({
    device: 'iPhone 15',
    deviceScaleFactor: 2,
    colorScheme: 'dark',
    reducedMotion: true,
    userAgent: 'x'.repeat(100),
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    css: 'p { color: red }',
    hide: ['.a', '.b', '.c', '.d', '.e', '.f', '.g'],
    cookieBanners: 'decline',
    clicks: [{ elementId: '#menu' }, { elementId: '#more', loadingTime: 5 }],
    element: 'main',
    area: 'upperhalf',
    style: 'macos-simple-dark',
    effects: [
      { effect: 'blur', options: { radius: 3 } },
      { effect: 'resize', options: { height: 200 } },
      { effect: 'roundcorners', options: { radius: 8 } },
      { effect: 'margin' },
      { effect: 'shadow' },
    ],
    loginParameter: {
      username: { elementId: '#u', username: 'secret' },
      password: { elementId: '#p', password: 'secret' },
      loginButton: { elementId: '#b' },
    },
    headers: { 'x-a': 'secret', 'x-b': 'secret' },
    cookies: [{ name: 'session', value: 'secret' }],
    waitFor: '#app',
    delay: 500,
    failOn: 'status',
  })
  expect(words).toEqual([
    ...['iPhone 15', 'scale 2', 'dark colours', 'reduced motion', `as ${'x'.repeat(59)}…`],
    ...[
      'language de-DE',
      'time in Europe/Berlin',
      'with a login',
      'with headers x-a, x-b',
      'with cookie session',
    ],
    ...['cookie banners declined', 'clicked #menu, #more', 'waited for #app', '500 ms later'],
    ...['without .a, .b, .c, .d, .e and 2 more', 'custom CSS', 'only main', 'upper half', 'dark window'],
    'blurred by 3, resized to 200 high, corners rounded by 8, margin of 0, shadow',
    'error pages are failures',
  ])
})

test.each([
  [[], ''],
  [[[1280, 800, false]], 'Window 1280 × 800'],
  [[[1280, 800, true]], 'Full page, 1280 wide'],
  [
    [
      [1280, 800, false],
      [390, 844, false],
      [1280, 800, false],
    ],
    'Windows 1280 × 800 and 390 × 844',
  ],
  [
    [
      [1280, 800, true],
      [820, 1180, true],
      [390, 844, true],
    ],
    'Full page, 1280, 820 and 390 wide',
  ],
] as [[number, number, boolean][], string][])('the windows of a root: %j', (windows, words) => {
  expect(windowsName(windows.map(([width, height, fullPage]) => ({ width, height, fullPage })))).toBe(words)
})
