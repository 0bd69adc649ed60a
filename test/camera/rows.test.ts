import sharp from 'sharp'
import { expect, test } from 'vitest'
import { openRows } from '../../src/camera/rows.ts'
import { inkOf, STRIP } from '../../src/camera/strips.ts'
import { readPixels } from '../../src/picture/pixels.ts'

const WIDTH = 200
const HEIGHT = 1_010
const FROM = 90

const raw = Buffer.from(
  Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => {
    const y = Math.floor(at / 3 / WIDTH)
    return (at * (1 + (y % 9))) % 251
  }),
)
const png = await sharp(raw, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
  .png()
  .toBuffer()

test('rows that are read in bands equal those of the whole picture', async () => {
  const whole = await readPixels(png)
  const below = { ...whole, data: whole.data.subarray(FROM * WIDTH * 3), height: HEIGHT - FROM }
  for (const held of [1, WIDTH * STRIP * 3, WIDTH * HEIGHT]) {
    const rows = await openRows(png, { width: WIDTH, height: HEIGHT }, held)
    expect(await rows?.inkBelow(FROM)).toEqual(inkOf(below))
    for (const y of [FROM, FROM + 5 * STRIP, HEIGHT - STRIP, 0]) {
      const { part, top } = (await rows?.around(y)) ?? { part: whole, top: -1 }
      const strip = part.data.subarray(top * WIDTH * 3, (top + STRIP) * WIDTH * 3)
      expect(strip.equals(whole.data.subarray(y * WIDTH * 3, (y + STRIP) * WIDTH * 3))).toBe(true)
    }
  }
})

test('rows of a picture with another size than expected are not opened', async () => {
  expect(await openRows(png, { width: WIDTH, height: HEIGHT + 1 })).toBeUndefined()
})
