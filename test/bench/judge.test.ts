import { describe, expect, test } from 'vitest'
import { judge, judgePixels, type Reference } from '../../bench/real-pages/judge.ts'
import { maskOf, NO_MASK } from '../../bench/real-pages/mask.ts'
import { encode, type Pixels } from '../../bench/real-pages/pixels.ts'

const WIDTH = 390
const HEIGHT = 3_000
const WINDOW = 600
const ROW = WIDTH * 3

const page = drawPage(HEIGHT)
const reference: Reference = { pixels: page, mask: NO_MASK, windowHeight: WINDOW }

describe('a correct picture', () => {
  test('is accepted', async () => {
    expect(await judge(await encode(page), reference)).toEqual({ right: true, strips: 94 })
  })

  test('may differ by an invisible amount', () => {
    const picture = changed((data) => {
      for (let at = 0; at < data.length; at++) data.writeUInt8(data.readUInt8(at) ^ 8, at)
    })
    expect(judgePixels(picture, reference).right).toBe(true)
  })

  test('may differ if the page has something fixed in the window', () => {
    const picture = changed((data) => data.fill(200, 1_000 * ROW, 1_050 * ROW))
    const mask = maskOf([{ x: 0, y: 990, width: WIDTH, height: 80 }], WIDTH)
    expect(judgePixels(picture, reference)).toMatchObject({ right: false, y: 992 })
    expect(judgePixels(picture, { ...reference, mask }).right).toBe(true)
  })
})

describe('a wrong picture is reported with the reason:', () => {
  test('wrong size', () => {
    expect(judgePixels(drawPage(HEIGHT - 1), reference)).toMatchObject({
      fault: 'size',
      detail: '390x2999, and the page is 390x3000',
    })
  })

  test('the first screen repeated to the end', () => {
    const picture = changed((data) => {
      for (let y = WINDOW; y < HEIGHT; y += WINDOW) data.copyWithin(y * ROW, 0, WINDOW * ROW)
    })
    expect(judgePixels(picture, reference)).toMatchObject({ fault: 'repeated', y: 576 })
  })

  test('one screen shown twice', () => {
    const picture = changed((data) => data.copyWithin(1_800 * ROW, 1_200 * ROW, 1_800 * ROW))
    expect(judgePixels(picture, reference)).toMatchObject({ fault: 'repeated', y: 1_792, wrong: 19 })
  })

  test.each([1, 40, WINDOW])('shifted down by %i px', (by) => {
    const picture = changed((data) =>
      data.copyWithin(by * ROW, 0, (HEIGHT - by) * ROW).fill(255, 0, by * ROW),
    )
    const verdict = judgePixels(picture, reference)
    expect(verdict).toMatchObject({ fault: 'shifted', y: 0 })
    expect(verdict).toHaveProperty('detail', expect.stringContaining(`by ${by} px`))
  })

  test.each([1, 40, WINDOW])('shifted up by %i px', (by) => {
    const picture = changed((data) => data.copyWithin(0, by * ROW).fill(255, (HEIGHT - by) * ROW))
    expect(judgePixels(picture, reference)).toHaveProperty('detail', expect.stringContaining(`by -${by} px`))
  })

  test('shifted from some row on', () => {
    const picture = changed((data) => data.copyWithin(1_540 * ROW, 1_500 * ROW, (HEIGHT - 40) * ROW))
    const verdict = judgePixels(picture, reference)
    expect(verdict).toMatchObject({ fault: 'shifted', y: 1_536 })
    expect(verdict).toHaveProperty('detail', expect.stringContaining('by 40 px'))
  })

  test.each([255, 0])('blank, in the colour %i', (colour) => {
    expect(
      judgePixels(
        changed((data) => data.fill(colour)),
        reference,
      ),
    ).toMatchObject({ fault: 'blank', y: 0 })
  })

  test('blank in its lower half', () => {
    const picture = changed((data) => data.fill(255, (HEIGHT / 2) * ROW))
    expect(judgePixels(picture, reference)).toMatchObject({ fault: 'half-drawn', y: 1_504 })
  })

  test('blank in one band', () => {
    const picture = changed((data) => data.fill(255, 1_024 * ROW, 1_100 * ROW))
    expect(judgePixels(picture, reference)).toMatchObject({ fault: 'blank', y: 1_024, wrong: 3 })
  })

  test('blank in its right half, from some row on', () => {
    const picture = changed((data) => {
      for (let y = 1_600; y < HEIGHT; y++) data.fill(255, y * ROW + ROW / 2, (y + 1) * ROW)
    })
    expect(judgePixels(picture, reference)).toMatchObject({ fault: 'half-drawn', y: 1_600 })
  })

  test('one word missing', () => {
    const picture = changed((data) => {
      for (let y = 2_000; y < 2_020; y++) data.fill(255, y * ROW, y * ROW + 150)
    })
    expect(judgePixels(picture, reference)).toMatchObject({ right: false, wrong: 1, y: 1_984 })
  })

  test('different content', () => {
    const picture = changed((data) => drawPage(200, 7).data.copy(data, 800 * ROW))
    expect(judgePixels(picture, reference)).toMatchObject({ fault: 'different', y: 800 })
  })
})

function changed(change: (data: Buffer) => void): Pixels {
  const data = Buffer.from(page.data)
  change(data)
  return { ...page, data }
}

/** Lines of words, each different, black on white. */
function drawPage(height: number, seed = 1): Pixels {
  const data = Buffer.alloc(height * ROW, 255)
  let state = seed
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  for (let line = 4; line + 14 <= height; line += 20) {
    for (let x = 6; x < WIDTH - 10; x += 3 + next(6)) {
      const [top, bottom] = [line + next(5), line + 9 + next(5)]
      for (let y = top; y < bottom; y++) data.fill(0, y * ROW + x * 3, y * ROW + (x + 2) * 3)
    }
  }
  return { width: WIDTH, height, data }
}
