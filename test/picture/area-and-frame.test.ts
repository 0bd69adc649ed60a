import { describe, expect, test } from 'vitest'
import type { Area } from '../../src/contract/options/finish.ts'
import { finish, graded, plain } from './picture-of.ts'

describe('the area', () => {
  // Size, then the place of the first pixel.
  const AREAS: [Area, number, number, number, number][] = [
    ['topleft', 3, 2, 0, 0],
    ['topright', 3, 2, 3, 0],
    ['bottomleft', 3, 2, 0, 2],
    ['bottomright', 3, 2, 3, 2],
    ['centercenter', 3, 2, 1, 1],
    ['upperhalf', 6, 2, 0, 0],
    ['lowerhalf', 6, 2, 0, 2],
    ['leftside', 3, 4, 0, 0],
    ['rightside', 3, 4, 3, 0],
  ]
  test.each(AREAS)('%s of 6 × 4 pixels is cut out', async (area, width, height, left, top) => {
    const picture = await finish(await graded(6, 4), { area })
    expect(picture.size).toEqual([width, height])
    expect(picture.at(0, 0)).toEqual([10 * left, 10 * top, 0, 255])
    expect(picture.at(width - 1, height - 1)).toEqual([
      10 * (left + width - 1),
      10 * (top + height - 1),
      0,
      255,
    ])
    expect(picture.channels).toBe(3)
  })

  const ODD: [Area, number, number][] = [
    ['topright', 2, 0],
    ['bottomright', 2, 1],
    ['centercenter', 1, 0],
  ]
  test.each(ODD)('%s of 5 × 3 pixels includes the middle row and column', async (area, left, top) => {
    const picture = await finish(await graded(5, 3), { area })
    expect(picture.size).toEqual([3, 2])
    expect(picture.at(0, 0)).toEqual([10 * left, 10 * top, 0, 255])
  })

  test('of a single pixel is that pixel', async () => {
    expect((await finish(await graded(1, 1), { area: 'bottomright' })).size).toEqual([1, 1])
  })
})

describe('the frame', () => {
  const LOOKS = [
    { style: 'macos-simple-dark', bar: [56, 56, 58], edge: [84, 84, 85], line: [30, 30, 31] },
    { style: 'macos-simple-light', bar: [246, 246, 246], edge: [251, 251, 251], line: [216, 216, 216] },
  ] as const

  test.each(LOOKS)(
    '$style is a title bar with three dots above the picture',
    async ({ style, bar, edge, line }) => {
      const picture = await finish(await plain(200, 100, '#0000ff'), { style })
      expect(picture.size).toEqual([200, 136])
      expect([picture.at(100, 0), picture.at(100, 1)]).toEqual([
        [...edge, 255],
        [...bar, 255],
      ])
      expect([picture.at(100, 34), picture.at(100, 35), picture.at(100, 36)]).toEqual([
        [...bar, 255],
        [...line, 255],
        [0, 0, 255, 255],
      ])
      expect([20, 40, 60, 80].map((x) => picture.at(x, 18))).toEqual([
        [255, 95, 87, 255],
        [254, 188, 46, 255],
        [40, 200, 64, 255],
        [...bar, 255],
      ])
      // 12 pixels high and wide: from 12 to 23, and from 14 to 25.
      expect([picture.at(20, 11), picture.at(20, 24), picture.at(13, 18), picture.at(26, 18)]).toEqual(
        Array(4).fill([...bar, 255]),
      )
    },
  )

  test('has rounded upper corners of 10 pixels, and keeps every pixel of the picture', async () => {
    const picture = await finish(await plain(200, 100), { style: 'macos-simple-dark' })
    expect([picture.at(0, 0), picture.at(199, 0), picture.at(1, 1)]).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ])
    expect([picture.alpha(10, 0), picture.alpha(3, 3), picture.alpha(0, 10), picture.alpha(189, 0)]).toEqual([
      255, 255, 255, 255,
    ])
    // Each corner takes (1 − π/4) × 10².
    expect(Math.abs(picture.opaque() - (200 * 136 - 2 * (1 - Math.PI / 4) * 100))).toBeLessThan(2)
    expect([picture.at(0, 135), picture.at(199, 135), picture.at(0, 36)]).toEqual(
      Array(3).fill([255, 255, 255, 255]),
    )
  })

  test.each([
    ['deviceScaleFactor', { deviceScaleFactor: 2 }, 2, 1],
    ['deviceScaleFactor', { deviceScaleFactor: 3 }, 3, 2],
    ['the scale of a device', { device: 'iPhone 15' }, 3, 2],
    ['a device with another scale', { device: 'iPhone 15', deviceScaleFactor: 1.5 }, 1.5, 1],
  ] as const)('grows with %s (%o)', async (_, options, scale, hair) => {
    const picture = await finish(await plain(300, 30, '#0000ff'), { style: 'macos-simple-light', ...options })
    expect(picture.size).toEqual([300, 30 + 36 * scale])
    expect([20, 40, 60].map((x) => picture.at(x * scale, 18 * scale)[0])).toEqual([255, 254, 40])
    const rows = [...Array(5).keys()].map((above) => picture.at(150, 36 * scale - 1 - above)[0])
    expect(rows.filter((red) => red === 216)).toHaveLength(hair)
    expect(picture.at(150, 36 * scale)).toEqual([0, 0, 255, 255])
    expect([picture.alpha(0, 0), picture.alpha(10 * scale, 0)]).toEqual([0, 255])
  })

  test.each([
    [1, 0],
    [25, 0],
    [26, 1],
    [46, 2],
    [66, 3],
  ])('of %i pixels has room for %i dots', async (width, dots) => {
    const picture = await finish(await plain(width, 4), { style: 'macos-simple-light' })
    expect(picture.size).toEqual([width, 40])
    const reds = [20, 40, 60].filter((x) => x < width).map((x) => picture.at(x, 18)[1])
    expect(reds.filter((green) => green !== 246)).toHaveLength(dots)
  })

  test('is put around the area, and effects apply to both', async () => {
    const picture = await finish(await graded(12, 20), {
      area: 'lowerhalf',
      style: 'macos-simple-light',
      effects: [{ effect: 'margin', options: { margin: 3 } }],
    })
    expect(picture.size).toEqual([12 + 6, 10 + 36 + 6])
    expect([picture.alpha(2, 30), picture.at(3, 3 + 36)]).toEqual([0, [0, 100, 0, 255]])
  })
})
