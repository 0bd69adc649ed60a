import type { OverlayOptions } from 'sharp'
import type { Size } from '../contract/picture-sizes.ts'

type Corner = 'upper left' | 'upper right' | 'lower left' | 'lower right'

export const UPPER_CORNERS: readonly Corner[] = ['upper left', 'upper right']
export const ALL_CORNERS: readonly Corner[] = [...UPPER_CORNERS, 'lower left', 'lower right']

/** Makes what is outside of round corners transparent. The radius is at most half of a side. */
export function roundCorners(
  { width, height }: Size,
  wanted: number,
  corners: readonly Corner[] = ALL_CORNERS,
): OverlayOptions[] {
  const radius = Math.min(wanted, width / 2, height / 2)
  if (radius <= 0) return []
  const side = Math.ceil(radius)
  return corners.map((corner) => {
    const [isLower, isRight] = [corner.startsWith('lower'), corner.endsWith('right')]
    const mirror = `translate(${isRight ? side : 0} ${isLower ? side : 0}) scale(${isRight ? -1 : 1} ${isLower ? -1 : 1})`
    return {
      input: Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">` +
          `<path transform="${mirror}" d="M0 0H${radius}A${radius} ${radius} 0 0 0 0 ${radius}Z"/></svg>`,
      ),
      left: isRight ? width - side : 0,
      top: isLower ? height - side : 0,
      blend: 'dest-out',
    }
  })
}
