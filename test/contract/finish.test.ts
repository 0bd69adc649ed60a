import { describe, expect, test } from 'vitest'
import { type Effect, ignoredBy } from '../../src/contract/options/finish.ts'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { newPage } from '../support/http/requests.ts'

const LIMITS = {
  ...{ urls: 30, loadingMs: 20_000, viewportWidth: 4_096, viewportHeight: 16_384 },
  picturePixels: 1_000_000,
}
const VIEW = { width: 1000, height: 500 }

const parse = (more: object, urls: object[] = [newPage()], view: object = VIEW) =>
  parseScreenshotRequest({ screenshotParameter: { ...view, ...more }, urls }, LIMITS)

function mistakesOf(...given: Parameters<typeof parse>): string[] {
  return parse(...given).mistakes?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? []
}

const resize = (options: object) => ({ effect: 'resize', options })
const margin = (wide: number) => ({ effect: 'margin', options: { margin: wide } })

describe('a chain that would exceed MAX_PICTURE_PIXELS is refused', () => {
  const AT = '#/screenshotParameter'
  const makes = (size: string) => `makes the picture ${size} pixels, more than MAX_PICTURE_PIXELS (1000000)`

  test.each<[string, object, string]>([
    ['a margin', { effects: [margin(100), margin(90)] }, `${AT}/effects/1 ${makes('1380 × 880')}`],
    ['a shadow', { effects: [margin(120), { effect: 'shadow' }] }, `${AT}/effects/1 ${makes('1320 × 820')}`],
    ['a width', { effects: [resize({ width: 1500 })] }, `${AT}/effects/0 ${makes('1500 × 750')}`],
    ['a height', { effects: [resize({ height: 708 })] }, `${AT}/effects/0 ${makes('1416 × 708')}`],
    ['both', { effects: [resize({ width: 1001, height: 1000 })] }, `${AT}/effects/0 ${makes('1001 × 1000')}`],
    ['an area first', { area: 'topleft', effects: [margin(500)] }, `${AT}/effects/0 ${makes('1500 × 1250')}`],
    ['a frame', { height: 990, style: 'macos-simple-dark' }, `${AT}/style ${makes('1000 × 1026')}`],
    [
      'a step in between',
      { effects: [resize({ width: 65_535, height: 65_535 }), resize({ width: 10, height: 10 })] },
      `${AT}/effects/0 ${makes('65535 × 65535')}`,
    ],
  ])('%s', (_, more, mistake) => {
    expect(mistakesOf(more)).toEqual([mistake])
  })

  test('but one that just fits is accepted', () => {
    expect(mistakesOf({ effects: [resize({ width: 1414, height: 707 }), margin(0)] })).toEqual([])
    expect(mistakesOf({ height: 964, style: 'macos-simple-light' })).toEqual([])
  })

  test('or if its steps together make ten times as many pixels', () => {
    const blurs = (count: number) => Array(count).fill({ effect: 'blur', options: { radius: 3 } })
    expect(mistakesOf({ effects: blurs(20) })).toEqual([])
    expect(mistakesOf({ effects: blurs(50) })).toEqual([
      `${AT}/effects/20 makes 10500000 pixels together with the steps before it, more than 10 × MAX_PICTURE_PIXELS (1000000)`,
    ])
    // Its height is not known yet.
    expect(mistakesOf({ fullPage: true, effects: blurs(50) })).toEqual([
      `${AT}/effects/20 makes at least 10500000 pixels together with the steps before it, more than 10 × MAX_PICTURE_PIXELS (1000000)`,
    ])
    expect(mistakesOf({ width: 100, height: 100, effects: blurs(50) })).toEqual([])
  })

  test('at the place of its option: for all pages, or for one', () => {
    const own = { ...newPage(1), effects: [margin(1), resize({ width: 1500 })] }
    expect(mistakesOf({}, [newPage(0), own, newPage(2)])).toEqual([
      `#/urls/1/effects/1 ${makes('1500 × 751')}`,
    ])
    const large = { ...newPage(1), width: 2000, height: 480 }
    expect(mistakesOf({ style: 'macos-simple-dark' }, [newPage(0), large, large])).toEqual([
      `${AT}/style ${makes('2000 × 516')}`,
    ])
  })

  test('in each of several sizes, and is reported once', () => {
    const sizes = [
      { width: 100, height: 100 },
      { width: 800, height: 800 },
      { width: 900, height: 900 },
    ]
    expect(mistakesOf({ sizes, effects: [margin(150)] }, [newPage(0), newPage(1)], {})).toEqual([
      `${AT}/effects/0 ${makes('1100 × 1100')}`,
    ])
  })

  test('of a full page if its least size is too large', () => {
    const full = (effects: object[]) => mistakesOf({ fullPage: true, effects })
    expect(full([margin(200)])).toEqual([`${AT}/effects/0 ${makes('at least 1400 × 900')}`])
    expect(full([resize({ width: 1500 })])).toEqual([`${AT}/effects/0 ${makes('at least 1500 × 750')}`])
    expect(full([resize({ width: 1001, height: 1000 })])).toEqual([`${AT}/effects/0 ${makes('1001 × 1000')}`])
    // A higher page becomes narrower.
    expect(full([resize({ height: 1000 })])).toEqual([])
  })

  test('of a window that may be cut, only if it is certainly too large', () => {
    const cut = { width: 4000, height: 16_000 }
    expect(mistakesOf({ ...cut, style: 'macos-simple-dark' })).toEqual([])
    expect(mistakesOf({ ...cut, effects: [margin(500)] })).toEqual([
      `${AT}/effects/0 ${makes('at least 1001 × 1001')}`,
    ])
  })
})

test('parameters of other effects are no mistakes, and are ignored', () => {
  const color = { r: 1, g: 2, b: 3, a: 1 }
  const effects = [
    { effect: 'margin', options: { radius: 40 } },
    { effect: 'roundcorners', options: { radius: 40, margin: 10, color } },
    { effect: 'blur', options: { radius: 3, offset: -1, width: 0.5 } },
    { effect: 'resize', options: { width: 300, opacity: 7 } },
    { effect: 'shadow', options: { radius: 1, bgColor: color } },
  ]
  expect(mistakesOf({ effects })).toEqual([])
  expect(effects.map((each) => ignoredBy(each as Effect))).toEqual([
    ['radius'],
    ['margin', 'color'],
    ['offset', 'width'],
    ['opacity'],
    ['radius'],
  ])
  expect(ignoredBy({ effect: 'shadow' })).toEqual([])
})

describe('a wrong value is reported with its place', () => {
  const AT = '#/screenshotParameter'
  const effect = (name: string, options?: object) => ({ effects: [{ effect: name, options }] })

  test.each<[object, string]>([
    [{ area: 'middle' }, `${AT}/area must be one of "topleft", `],
    [{ style: 'windows' }, `${AT}/style must be one of "macos-simple-dark", "macos-simple-light"`],
    [{ effects: { effect: 'blur' } }, `${AT}/effects must be a list of at most 50 effects`],
    [
      effect('sepia'),
      `${AT}/effects/0/effect must be one of "blur", "resize", "roundcorners", "margin", "shadow"`,
    ],
    [effect('blur'), `${AT}/effects/0/options must be an object with radius`],
    [effect('blur', { radius: -1 }), `${AT}/effects/0/options/radius must be a number from 0 to 1000`],
    [effect('blur', { radius: '3' }), `${AT}/effects/0/options/radius must be a number from 0 to 1000`],
    [effect('resize', {}), `${AT}/effects/0/options must have a width, a height, or both`],
    [effect('resize', { width: null }), `${AT}/effects/0/options must have a width, a height, or both`],
    [effect('resize', { width: 0 }), `${AT}/effects/0/options/width must be a whole number from 1 to 65535`],
    [
      effect('resize', { height: 1.5 }),
      `${AT}/effects/0/options/height must be a whole number from 1 to 65535`,
    ],
    [
      effect('roundcorners', { radius: 1e6 }),
      `${AT}/effects/0/options/radius must be a number from 0 to 65535`,
    ],
    [
      effect('margin', { margin: -1 }),
      `${AT}/effects/0/options/margin must be a whole number from 0 to 65535`,
    ],
    [effect('margin', { radius: 'x' }), `${AT}/effects/0/options/radius must be a number`],
    [effect('margin', { wide: 1 }), `${AT}/effects/0/options/wide is not known; known are margin`],
    [
      effect('shadow', { margin: 101 }),
      `${AT}/effects/0/options/margin must be a whole number from 0 to 100`,
    ],
    [effect('shadow', { blur: 101 }), `${AT}/effects/0/options/blur must be a number from 0 to 100`],
    [effect('shadow', { offset: 51 }), `${AT}/effects/0/options/offset must be a whole number from 0 to 50`],
    [effect('shadow', { opacity: 1.1 }), `${AT}/effects/0/options/opacity must be a number from 0 to 1`],
    [
      effect('shadow', { color: { r: 1, g: 1, b: 1 } }),
      `${AT}/effects/0/options/color/a must be a number from 0 to 1`,
    ],
    [
      effect('shadow', { bgColor: { r: 256, g: 1, b: 1, a: 1 } }),
      `${AT}/effects/0/options/bgColor/r must be a whole number`,
    ],
  ])('%j', (more, mistake) => {
    expect(mistakesOf(more)).toEqual([expect.stringContaining(mistake)])
  })
})

test('given options are kept, and empty ones are left out', () => {
  const effects = [
    { effect: 'shadow', options: null },
    { effect: 'margin', options: {} },
    { effect: 'blur', options: { radius: 2 } },
  ]
  const { asked } = parse({ area: null, style: 'macos-simple-dark', effects })
  expect(asked?.options).toEqual({
    ...{ ...VIEW, fullPage: false, tags: [], style: 'macos-simple-dark' },
    effects: [{ effect: 'shadow' }, { effect: 'margin' }, { effect: 'blur', options: { radius: 2 } }],
  })
  expect(parse({ effects: [] }).asked?.options).not.toHaveProperty('effects')
})
