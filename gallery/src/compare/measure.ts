import pixelmatch from 'pixelmatch'

/** How much two colours may differ and still look alike, of 1. */
const THRESHOLD = 0.1

export interface Pixels {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

export interface Measured {
  /** Of all pixels of the larger one in each direction. */
  readonly share: number
  /** The later picture, pale, with what is different marked. */
  readonly marked: Pixels
}

/** Compares pixel by pixel. Where one picture is larger, what the other lacks is different. */
export function measure(before: Pixels, after: Pixels): Measured {
  const width = Math.max(before.width, after.width)
  const height = Math.max(before.height, after.height)
  const data = new Uint8ClampedArray(width * height * 4)
  const different = pixelmatch(
    enlarge(before, width, height),
    enlarge(after, width, height),
    data,
    width,
    height,
    {
      threshold: THRESHOLD,
      alpha: 0.25,
      diffColor: [232, 62, 32],
      aaColor: [190, 190, 190],
    },
  )
  return { share: different / (width * height), marked: { data, width, height } }
}

/** On a sheet of this size, transparent where there is nothing. */
function enlarge(
  { data, width, height }: Pixels,
  sheetWidth: number,
  sheetHeight: number,
): Uint8ClampedArray {
  if (width === sheetWidth && height === sheetHeight) return data
  const sheet = new Uint8ClampedArray(sheetWidth * sheetHeight * 4)
  for (let row = 0; row < height; row++) {
    sheet.set(data.subarray(row * width * 4, (row + 1) * width * 4), row * sheetWidth * 4)
  }
  return sheet
}
