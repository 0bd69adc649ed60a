import { expect, test } from 'vitest'
import { measure, type Pixels } from '../../gallery/src/compare/measure.ts'

function paint(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [number, number, number],
) {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set([...colourAt(x, y), 255], (y * width + x) * 4)
  }
  return { data, width, height } satisfies Pixels
}

const WHITE = [255, 255, 255] as const
const BLUE = [0, 0, 255] as const

test('a picture equals itself, and differs completely from its negative', () => {
  const white = paint(40, 30, () => WHITE)
  expect(measure(white, white).share).toBe(0)
  expect(
    measure(
      white,
      paint(40, 30, () => BLUE),
    ).share,
  ).toBe(1)
})

test('a changed block counts by its share of the picture, and is marked red in its place', () => {
  const before = paint(100, 100, () => WHITE)
  const after = paint(100, 100, (x, y) => (x >= 50 && y >= 80 ? BLUE : WHITE))
  const { share, marked } = measure(before, after)
  expect(share).toBeCloseTo(0.1, 2)
  const at = (x: number, y: number) => [...marked.data.subarray((y * 100 + x) * 4, (y * 100 + x) * 4 + 3)]
  const [redMark = 0, ...others] = at(70, 90)
  expect(redMark).toBeGreaterThan(2 * Math.max(...others))
  const [red = 0, green = 0, blue = 0] = at(10, 10)
  expect(red === green && green === blue).toBe(true)
})

test.each([
  ['white', WHITE],
  ['blue', BLUE],
  ['grey', [128, 128, 128]],
  ['black', [0, 0, 0]],
] as const)('an area that only one of two pictures has is different: %s', (_, colour) => {
  const { share, marked } = measure(
    paint(50, 50, () => colour),
    paint(50, 100, () => colour),
  )
  expect(share).toBeCloseTo(0.5, 2)
  expect([marked.width, marked.height]).toEqual([50, 100])
  const crossed = measure(
    paint(20, 100, () => colour),
    paint(100, 20, () => colour),
  )
  expect([crossed.marked.width, crossed.marked.height]).toEqual([100, 100])
  // Where neither has anything, nothing differs.
  expect(crossed.share).toBeCloseTo(0.32, 2)
})
