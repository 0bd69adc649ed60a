import { describe, expect, test } from 'vitest'
import { chooseStrips, inkOf, STRIP, showsStrip } from '../../src/camera/strips.ts'
import type { Pixels } from '../../src/picture/pixels.ts'

const WIDTH = 400
const WINDOW = 320
const HEIGHT = 3_200

/** Lines of words, each different, like a page of text. Empty between `gap[0]` and `gap[1]`. */
function makePage(height = HEIGHT, gap: readonly [number, number] = [0, 0]): Pixels {
  const data = Buffer.alloc(WIDTH * height * 3, 255)
  for (let line = 0; line * 16 + 10 < height; line++) {
    const top = line * 16
    if (top >= gap[0] && top < gap[1]) continue
    for (let word = 0; word < 20; word++) {
      const left = 20 * word + ((line * 7 + word * 13) % 11)
      const long = 4 + ((line * 5 + word * 3) % 7)
      for (let y = top; y < top + 10; y++) data.fill(0, (y * WIDTH + left) * 3, (y * WIDTH + left + long) * 3)
    }
  }
  return { data, width: WIDTH, height }
}

function cutStrip({ data, width }: Pixels, top: number): Pixels {
  const row = width * 3
  return { data: data.subarray(top * row, (top + STRIP) * row), width, height: STRIP }
}

/** Rows of `page`, from the row that `from` names. */
function rearrange(page: Pixels, from: (y: number) => number | undefined): Pixels {
  const row = page.width * 3
  const data = Buffer.alloc(page.data.length, 255)
  for (let y = 0; y < page.height; y++) {
    const source = from(y)
    if (source !== undefined && source >= 0 && source < page.height) {
      page.data.copy(data, y * row, source * row, (source + 1) * row)
    }
  }
  return { ...page, data }
}

/** The part below the window. */
function inkBelow({ data, width, height }: Pixels): number[] {
  return inkOf({ data: data.subarray(WINDOW * width * 3), width, height: height - WINDOW })
}

/** Like the camera: each strip chosen from the picture is drawn once more. */
function isRight(picture: Pixels, page: Pixels): boolean {
  return chooseStrips(inkBelow(picture), WINDOW).every((top) => showsStrip(picture, top, cutStrip(page, top)))
}

describe('strips of a picture', () => {
  const page = makePage()
  const withGap = makePage(HEIGHT, [1_000, 2_000])

  test('accept the correct picture, even if much of the page is empty', () => {
    expect([isRight(page, page), isRight(withGap, withGap)]).toEqual([true, true])
  })

  test('accept edges that are drawn slightly differently', () => {
    const soft = { ...page, data: Buffer.from(page.data.map((value) => (value === 0 ? 40 : value))) }
    expect(isRight(soft, page)).toBe(true)
  })

  test.each([
    ['repeats its first window', (y: number) => y % WINDOW],
    ['is shifted by some rows', (y: number) => y + 5],
    ['is shifted by a window', (y: number) => y + WINDOW],
    ['is blank', () => undefined],
    ['ends halfway', (y: number) => (y < HEIGHT / 2 ? y : undefined)],
    ['lacks a part', (y: number) => (y < 1_600 || y > 2_000 ? y : undefined)],
    ['is upside down', (y: number) => HEIGHT - 1 - y],
  ])('notice a picture that %s', (_, from) => {
    expect(isRight(rearrange(page, from), page)).toBe(false)
  })

  test('lie within the picture, whatever its height', () => {
    for (const height of [WINDOW, WINDOW + 1, WINDOW + STRIP, WINDOW + 3 * STRIP + 1, 1_000]) {
      const tops = chooseStrips(inkBelow(makePage(height)), WINDOW)
      expect(tops.every((top) => top >= WINDOW && top + STRIP <= height)).toBe(true)
      expect(tops.length > 0).toBe(height >= WINDOW + STRIP)
    }
  })
})
