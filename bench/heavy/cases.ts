import type { ScreenshotRequest } from '../../src/client/client.ts'

// The largest that a request may ask for, in each direction.

const SIZE = { width: 4096, height: 16_384 }
/** So many elements beside each other. */
const BESIDE = 5_000

const text = 'A window seat, a thermos of coffee, and the coast of another country before breakfast. '
const row = `<section><i></i><p>${text.repeat(30)}</p></section>`
const rows = (height: number) =>
  `<!doctype html><title>Rows</title><style>
  body { margin: 0; font: 18px/1.5 sans-serif; height: ${height}px; overflow: hidden }
  section { box-sizing: border-box; height: 400px; padding: 40px; display: flex; gap: 40px; overflow: hidden }
  section:nth-child(even) { background: #f3f1ea }
  i { flex: none; width: 480px; border-radius: 12px; background: conic-gradient(#2b5876, #f7971e, #4e4376, #2b5876) }
</style>${row.repeat(Math.ceil(height / 400))}`

export const SITE: Readonly<Record<string, string>> = {
  '/plain': '<!doctype html><title>Plain</title><h1>A plain page</h1>',
  '/rows': rows(16_384),
  '/moving': `${rows(16_384)}<p id=p style="position:absolute;top:0">0<script>setInterval(() => { p.textContent = Math.random() }, 30)</script>`,
  '/huge': `<!doctype html><title>Huge</title><body style="margin:0"><div id=huge style="width:6000px;height:100000px;background:repeating-linear-gradient(#fff 0 40px, #2b5876 40px 80px)">${'<p>A row of text</p>'.repeat(1_000)}</div>`,
  '/boxed': `<!doctype html><title>Boxed</title><body style="margin:0"><div style="width:800px;height:600px;overflow:auto"><div id=huge style="width:6000px;height:100000px;background:#2b5876">${'<p>A row of text</p>'.repeat(1_000)}</div></div>`,
  '/nodes': `<!doctype html><title>Nodes</title><style>b { float: left; width: 2px; height: 2px; background: #2b5876 }</style>${'<b></b>'.repeat(50_000)}`,
  '/beside': `<!doctype html><title>Beside</title><div>${'<b></b>'.repeat(BESIDE)}</div>`,
}

const effect = {
  blur: { effect: 'blur', options: { radius: 3.9 } },
  round: { effect: 'roundcorners', options: { radius: 200 } },
  shadow: { effect: 'shadow', options: { margin: 1, blur: 100, bgColor: { r: 255, g: 255, b: 255, a: 1 } } },
  margin: { effect: 'margin', options: { margin: 1 } },
} as const
/** One pixel wider or higher, so that nothing is left out. */
const resize = (height: number) => ({ effect: 'resize', options: { width: 4000, height } }) as const
const all = Object.values(effect)

/** Selectors that no browser comes to an end with on `/beside`: each part is tried for all elements before. */
const ENDLESS = {
  has: ':is(:is(b:has(~ i) ~ b) ~ b) ~ b',
  not: ':not(:not(:not(:not(i ~ b) ~ b) ~ b) ~ b)',
}

export interface Case {
  readonly name: string
  readonly parameter: Partial<ScreenshotRequest['screenshotParameter']>
  readonly path: keyof typeof SITE
  readonly pages: number
  readonly loadingTime?: number
}

const endless = (name: string, parameter: Case['parameter']): Case => ({
  name,
  parameter: { width: 1200, height: 720, ...parameter },
  ...{ path: '/beside', pages: 2, loadingTime: 5_000 },
})

export const CASES: readonly Case[] = [
  { name: 'a plain page, 1200 × 720', parameter: { width: 1200, height: 720 }, path: '/plain', pages: 1 },
  { name: 'window of 4096 × 16,384', parameter: SIZE, path: '/rows', pages: 2 },
  { name: 'the same, of a page that moves', parameter: SIZE, path: '/moving', pages: 2 },
  {
    name: 'full page, scale 3',
    parameter: { ...SIZE, fullPage: true, deviceScaleFactor: 3 },
    ...{ path: '/rows', pages: 2 },
  },
  {
    name: 'style and 4 effects on 4000 × 16,000',
    parameter: { width: 4000, height: 16_000, style: 'macos-simple-dark', effects: all },
    ...{ path: '/rows', pages: 1 },
  },
  {
    name: '10 effects on 4000 × 16,000',
    parameter: {
      ...{ width: 4000, height: 16_000 },
      effects: Array.from({ length: 2 }, (_, turn) => [
        ...[effect.blur, resize(16_001 + turn), effect.shadow, effect.round, effect.margin],
      ]).flat(),
    },
    ...{ path: '/rows', pages: 1 },
  },
  {
    name: 'element of 6000 × 100,000, scale 3',
    parameter: { width: 1200, height: 720, element: '#huge', deviceScaleFactor: 3 },
    ...{ path: '/huge', pages: 1 },
  },
  {
    name: 'the same in a box that scrolls, with effects',
    parameter: { width: 1200, height: 720, element: '#huge', effects: all },
    ...{ path: '/boxed', pages: 1 },
  },
  {
    name: '9,500 selectors to hide, 50,000 elements',
    parameter: {
      ...{ width: 1200, height: 720 },
      hide: Array.from({ length: 19 }, () => Array(500).fill('q').join()),
    },
    ...{ path: '/nodes', pages: 1 },
  },
  {
    name: '10 sizes × 10 pages',
    parameter: {
      sizes: Array.from({ length: 10 }, (_, index) => ({ width: 300 + 100 * index, height: 800 })),
    },
    ...{ path: '/plain', pages: 10 },
  },
  endless('waitFor that never ends', { waitFor: ENDLESS.has }),
  endless('element that never ends', { element: ENDLESS.has }),
  endless('hide that never ends', { hide: [ENDLESS.has] }),
  endless('css that never ends', { css: `${ENDLESS.not} { color: red }` }),
  endless('click that never ends', { clicks: [{ elementId: ENDLESS.has }] }),
]
