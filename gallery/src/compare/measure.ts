import pixelmatch from 'pixelmatch'

/** How much two colours may differ and still count as equal, from 0 to 1. */
const THRESHOLD = 0.1
/** The colour of differences, and how opaque it is. */
const MARK = [228, 52, 24] as const
const COVER = 0.72
/** How much equal pixels fade into white. */
const FADE = 0.72

export interface Pixels {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

export interface Measured {
  /** The share of different pixels, of the larger width and height. */
  readonly share: number
  /** The later picture in pale grey, with the differences marked. */
  readonly marked: Pixels
}

/** Compares pixel by pixel. Pixels that only one of the pictures has are different. */
export function measure(before: Pixels, after: Pixels): Measured {
  const width = Math.max(before.width, after.width)
  const height = Math.max(before.height, after.height)
  const marks = new Uint8ClampedArray(width * height * 4)
  const [earlier, later] = [enlarge(before, width, height), enlarge(after, width, height)]
  const options = { threshold: THRESHOLD, diffMask: true }
  const different = pixelmatch(earlier, later, marks, width, height, options)
  draw(marks, later)
  return { share: different / (width * height), marked: { data: marks, width, height } }
}

/** Draws the picture below the marked differences. */
function draw(marks: Uint8ClampedArray, picture: Uint8ClampedArray): void {
  for (let at = 0; at < marks.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = [
      picture[at],
      picture[at + 1],
      picture[at + 2],
      picture[at + 3],
    ]
    const grey = 255 + ((0.3 * red + 0.59 * green + 0.11 * blue - 255) * alpha) / 255
    const marked = marks[at + 3] !== 0
    const below = marked ? grey : grey + (255 - grey) * FADE
    for (let channel = 0; channel < 3; channel++) {
      marks[at + channel] = marked ? below + ((MARK[channel] ?? 0) - below) * COVER : below
    }
    marks[at + 3] = 255
  }
}

/** The picture on a canvas of this size; the rest is transparent. */
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
