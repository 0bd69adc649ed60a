import type { CaptureOptions } from '../../../src/contract/capture-options.ts'

/** Every option that a request can have. A new option must be added here. */
export const ALL_OPTIONS: Required<CaptureOptions> = {
  width: 1200,
  height: 720,
  fullPage: true,
  device: 'iPhone 15',
  deviceScaleFactor: 1.5,
  colorScheme: 'dark',
  reducedMotion: true,
  userAgent: 'Robot “1.0” \\ 🦊',
  locale: 'de-DE',
  timezone: 'Europe/Berlin',
  css: '.ad::before { content: "a\\201C\n" }',
  hide: ['#chat', "[data-x='y']"],
  cookieBanners: 'decline',
  clicks: [{ elementId: '#menu', loadingTime: 0 }, { elementId: 'next' }],
  element: 'main > h1',
  area: 'upperhalf',
  style: 'macos-simple-dark',
  effects: [
    { effect: 'blur', options: { radius: 0.5 } },
    { effect: 'resize', options: { width: 200 } },
    { effect: 'roundcorners', options: { radius: 50 } },
    { effect: 'margin' },
    { effect: 'shadow', options: { opacity: 0.25, color: { r: 1, g: 2, b: 3, a: 0.5 } } },
  ],
  loginParameter: {
    username: { elementId: '#user', username: 'alice-9f31@example.com' },
    password: { elementId: '#password', password: 'pässword-9f31 & "more"' },
    loginButton: { elementId: '#login' },
    origins: ['https://sso.example.com'],
  },
  headers: { authorization: 'Bearer header-9f31', 'x-other': 'other-9f31' },
  cookies: [
    { name: 'session', value: 'cookie-9f31' },
    { name: 'second', value: 'second-9f31' },
  ],
  waitFor: '#ready',
  delay: 250,
  failOn: 'status',
  tags: ['release', 'say "no"'],
}

/** What every secret of ALL_OPTIONS contains. */
export const SECRET_MARK = '9f31'
