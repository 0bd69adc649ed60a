import type { Extend } from './operations.ts'

export const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 }

/** Transparent pixels on all four sides. */
export function margin(wide: number): Extend[] {
  if (wide === 0) return []
  return [{ do: 'extend', top: wide, bottom: wide, left: wide, right: wide, background: TRANSPARENT }]
}
