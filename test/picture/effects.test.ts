import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Effect } from '../../src/contract/options/finish.ts'
import { finishPicture } from '../../src/picture/finish.ts'
import { bellBelow, finish, graded, plain } from './picture-of.ts'

const RULES = { maxPixels: 10_000, signal: new AbortController().signal }
const NOTHING = [0, 0, 0, 0]

type OptionsOf<E extends Effect['effect']> = Extract<Effect, { effect: E }>['options']

const blur = (radius: number): Effect => ({ effect: 'blur', options: { radius } })
const resize = (options: OptionsOf<'resize'>): Effect => ({ effect: 'resize', options })
const round = (radius: number): Effect => ({ effect: 'roundcorners', options: { radius } })
const margin = (wide: number): Effect => ({ effect: 'margin', options: { margin: wide } })
const shadow = (options?: NonNullable<OptionsOf<'shadow'>>): Effect => ({
  effect: 'shadow',
  ...(options && { options }),
})

const done = async (png: Buffer, ...effects: Effect[]) => await finish(png, { effects })

test('the measured example: round corners of 50, a margin of 50, then 200 pixels wide', async () => {
  const picture = await done(
    await plain(1000, 1000, '#c8643c'),
    round(50),
    margin(50),
    resize({ width: 200 }),
  )
  expect([picture.size, picture.channels]).toEqual([[200, 200], 4])
  const corners = [
    [0, 0],
    [199, 0],
    [0, 199],
    [199, 199],
    // The round corners of the picture itself, 9.1 pixels from each side.
    [9, 9],
    [190, 190],
  ] as const
  expect(corners.map(([x, y]) => picture.at(x, y))).toEqual(corners.map(() => NOTHING))
  expect(picture.at(100, 100)).toEqual([200, 100, 60, 255])
  // The edge is where the picture is half opaque. All before it is transparent: their sum is the place of the edge.
  const row = Array.from({ length: 100 }, (_, x) => 1 - picture.alpha(x, 100) / 255)
  expect(row.reduce((sum, each) => sum + each, 0)).toBeCloseTo((50 / 1100) * 200, 1)
})

describe('blur', () => {
  /** The left half is black. */
  const halves = async () =>
    await sharp(await plain(200, 20))
      .composite([{ input: await plain(100, 20, '#000000'), left: 0, top: 0 }])
      .removeAlpha()
      .png()
      .toBuffer()

  test.each([1, 2, 3.9, 4, 7.9, 20])('of %d pixels is Gaussian', async (radius) => {
    const picture = await done(await halves(), blur(radius))
    expect(picture.size).toEqual([200, 20])
    for (const x of [99, 100, 100 + Math.round(radius), 100 - Math.round(2 * radius)]) {
      const expected = 255 * bellBelow((x + 0.5 - 100) / radius)
      // An enlarged picture may be half a pixel off.
      const step = 255 * (bellBelow((x + 1 - 100) / radius) - bellBelow((x - 100) / radius))
      expect(Math.abs((picture.at(x, 10)[0] ?? 0) - expected), `${x}`).toBeLessThan(
        4 + (radius < 4 ? 0 : step / 2),
      )
    }
  })

  test.each([3, 40, 1000])(
    'of %d pixels does not change a picture of one colour, up to its edges',
    async (radius) => {
      const picture = await done(await plain(30, 70, '#c8643c'), blur(radius))
      expect(picture.size).toEqual([30, 70])
      for (const [x, y] of [
        [0, 0],
        [15, 30],
        [29, 69],
      ] as const)
        expect(picture.at(x, y)).toEqual([200, 100, 60, 255])
    },
  )

  test('does not mix transparent pixels into the colour', async () => {
    const picture = await done(await plain(40, 40, '#ff0000'), margin(20), blur(4))
    expect(picture.alpha(20, 40)).toBeGreaterThan(120)
    expect(picture.alpha(20, 40)).toBeLessThan(155)
    expect(picture.at(20, 40).slice(0, 3)).toEqual([255, 0, 0])
  })
})

describe('resize', () => {
  test.each([
    [{ width: 20 }, [20, 10]],
    [{ height: 20 }, [40, 20]],
    [{ width: 30, height: 7 }, [30, 7]],
    [{ width: 1 }, [1, 1]],
    [{ width: 33 }, [33, 17]],
    [{ width: 400 }, [400, 200]],
  ])('to %o gives the right size', async (options, size) => {
    expect((await done(await plain(100, 50), resize(options))).size).toEqual(size)
  })

  test('keeps colours in their places', async () => {
    const small = await done(await graded(16, 8), resize({ width: 8 }))
    // The means of columns 4 and 5, and of rows 2 and 3.
    expect(small.at(2, 1)).toEqual([45, 25, 0, 255])
    const large = await done(await graded(16, 8), resize({ width: 32 }))
    // The middle of this pixel is 5.25 from the left and 3.25 from the top. Half a pixel, 2.5 steps, may be missing.
    const [red = 0, green = 0] = large.at(10, 6)
    expect(Math.abs(red - 47.5)).toBeLessThan(3.5)
    expect(Math.abs(green - 27.5)).toBeLessThan(3.5)
  })
})

describe('roundcorners', () => {
  test('makes corners transparent, with smooth edges', async () => {
    const picture = await done(await plain(100, 100, '#c8643c'), round(50))
    expect([picture.size, picture.channels]).toEqual([[100, 100], 4])
    // A circle.
    expect(Math.abs(picture.opaque() - Math.PI * 50 * 50)).toBeLessThan(16)
    expect([picture.at(0, 0), picture.at(99, 0), picture.at(0, 99), picture.at(99, 99)]).toEqual(
      Array(4).fill(NOTHING),
    )
    expect(picture.at(50, 50)).toEqual([200, 100, 60, 255])
    // The circle crosses the pixel at 14, 14: √2 × 50 − 50 = 20.7 pixels from the corner, and 14 × √2 = 19.8.
    expect(picture.alpha(14, 14)).toBeGreaterThan(20)
    expect(picture.alpha(14, 14)).toBeLessThan(120)
    expect([picture.alpha(13, 13), picture.alpha(16, 16)]).toEqual([0, 255])
  })

  test.each([
    [1_000, 100, 60, 30],
    [30.5, 61, 61, 30.5],
    [2.5, 20, 20, 2.5],
    [9, 1, 1, 0.5],
  ])('of %d in a picture of %i × %i has a radius of %d', async (radius, width, height, actual) => {
    const picture = await done(await plain(width, height), round(radius))
    const area = width * height - (4 - Math.PI) * actual ** 2
    expect(Math.abs(picture.opaque() - area)).toBeLessThan(Math.max(0.3, area * 0.002))
  })

  test('is measured in the current picture', async () => {
    const [before, after] = [
      await done(await plain(100, 100), round(20), resize({ width: 50 })),
      await done(await plain(100, 100), resize({ width: 50 }), round(20)),
    ]
    expect([before.alpha(3, 3), after.alpha(3, 3)]).toEqual([255, 0])
  })
})

test('margin adds transparent pixels on all four sides', async () => {
  const picture = await done(await graded(4, 3), margin(5))
  expect([picture.size, picture.channels]).toEqual([[14, 13], 4])
  expect([picture.at(4, 5), picture.at(5, 4), picture.at(9, 7), picture.at(8, 8)]).toEqual(
    Array(4).fill(NOTHING),
  )
  expect([picture.at(5, 5), picture.at(8, 7)]).toEqual([
    [0, 0, 0, 255],
    [30, 20, 0, 255],
  ])
})

describe('shadow', () => {
  test('is black and Gaussian around the picture', async () => {
    const picture = await done(await plain(200, 200), shadow())
    expect(picture.size).toEqual([280, 280])
    expect([picture.at(40, 40), picture.at(239, 239)]).toEqual(Array(2).fill([255, 255, 255, 255]))
    // Half a pixel, and 15.5 pixels outside of the middle of each side.
    for (const away of [0.5, 15.5]) {
      const expected = 0.3 * 255 * bellBelow(-away / 15)
      const sides = [
        [140, 40 - away - 0.5],
        [140, 239 + away + 0.5],
        [40 - away - 0.5, 140],
        [239 + away + 0.5, 140],
      ] as const
      for (const [x, y] of sides) {
        expect(picture.at(x, y).slice(0, 3)).toEqual([0, 0, 0])
        expect(Math.abs(picture.alpha(x, y) - expected), `${x}, ${y}`).toBeLessThan(2.5)
      }
    }
  })

  test('has its own margin, offset and opacity', async () => {
    const picture = await done(await plain(60, 60), shadow({ margin: 20, blur: 0, offset: 10, opacity: 0.5 }))
    expect(picture.size).toEqual([100, 100])
    expect([50, 79, 80, 89, 90].map((y) => picture.at(50, y))).toEqual([
      [255, 255, 255, 255],
      [255, 255, 255, 255],
      [0, 0, 0, 128],
      [0, 0, 0, 128],
      NOTHING,
    ])
    expect([picture.at(50, 19), picture.at(19, 50), picture.at(80, 50)]).toEqual(Array(3).fill(NOTHING))
  })

  test('has a colour with its own opacity', async () => {
    const color = { r: 200, g: 30, b: 90, a: 0.5 }
    const picture = await done(await plain(60, 60), shadow({ blur: 0, offset: 10, opacity: 0.8, color }))
    expect(picture.at(70, 105)).toEqual([200, 30, 90, 102])
    const invisible = await done(await plain(60, 60), shadow({ color: { ...color, a: 0 } }))
    expect([invisible.size, invisible.at(70, 101)]).toEqual([[140, 140], NOTHING])
  })

  test.each([
    [{ r: 0, g: 0, b: 255, a: 1 }, [0, 0, 255, 255], [0, 0, 127, 255]],
    [{ r: 0, g: 0, b: 255, a: 0.5 }, [0, 0, 255, 128], [0, 0, 85, 191]],
    [{ r: 0, g: 0, b: 255, a: 0 }, NOTHING, [0, 0, 0, 128]],
  ])('has a background colour: %o', async (bgColor, corner, below) => {
    const options = { blur: 0, offset: 10, opacity: 0.5, bgColor }
    const picture = await done(await plain(60, 60), round(10), shadow(options))
    for (const [place, expected] of [
      [picture.at(0, 0), corner],
      [picture.at(40, 40), corner],
      [picture.at(70, 105), below],
      [picture.at(70, 70), [255, 255, 255, 255]],
    ] as const)
      for (const [part, value] of place.entries())
        expect(Math.abs(value - (expected[part] ?? 0)), `${place}`).toBeLessThan(2)
  })

  test('follows the rounded corners of the picture', async () => {
    const [square, circle] = [
      await done(await plain(60, 60), shadow({ blur: 0, offset: 30, opacity: 1 })),
      await done(await plain(60, 60), round(30), shadow({ blur: 0, offset: 30, opacity: 1 })),
    ]
    expect([square.alpha(42, 127), circle.alpha(42, 127)]).toEqual([255, 0])
    expect([square.alpha(70, 127), circle.alpha(70, 127)]).toEqual([255, 255])
  })

  test('with a margin smaller than its blur is cut off, not reflected', async () => {
    const picture = await done(await plain(200, 200), shadow({ margin: 2, blur: 40, opacity: 1 }))
    expect(Math.abs(picture.alpha(102, 0) - 255 * bellBelow(-1.5 / 40))).toBeLessThan(6)
  })
})

test('effects are applied in order', async () => {
  const [one, other] = [
    await done(await plain(40, 40), margin(10), round(10)),
    await done(await plain(40, 40), round(10), margin(10)),
  ]
  expect([one.alpha(10, 10), other.alpha(10, 10)]).toEqual([255, 0])
  const twice = await done(
    await plain(40, 40),
    shadow({ margin: 10 }),
    round(5),
    shadow({ margin: 10 }),
    margin(1),
  )
  expect(twice.size).toEqual([82, 82])
})

test.each<[string, Effect[]]>([
  ['no effect', []],
  ['a margin without options', [{ effect: 'margin' }, margin(0)]],
  ['a blur of 0', [blur(0), blur(0.2)]],
  ['round corners of 0', [round(0)]],
  ['the size that it has', [resize({ width: 30 }), resize({ width: 30, height: 20 })]],
  ['an invisible shadow', [shadow({ margin: 0, opacity: 0 })]],
])('%s leaves the picture unchanged, byte for byte', async (_, effects) => {
  const png = await plain(30, 20)
  expect(await finishPicture(png, { effects }, RULES)).toBe(png)
})
