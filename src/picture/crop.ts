import type { Area } from '../contract/options/finish.ts'
import { halfOf, type Size } from '../contract/picture-sizes.ts'
import type { Crop } from './operations.ts'

type Part = 'first' | 'middle' | 'last' | 'all'

/** Which part of the width and of the height. */
const PARTS: Record<Area, readonly [Part, Part]> = {
  topleft: ['first', 'first'],
  topright: ['last', 'first'],
  bottomleft: ['first', 'last'],
  bottomright: ['last', 'last'],
  centercenter: ['middle', 'middle'],
  upperhalf: ['all', 'first'],
  lowerhalf: ['all', 'last'],
  leftside: ['first', 'all'],
  rightside: ['last', 'all'],
}

export function crop(area: Area, { width, height }: Size): Crop {
  const [across, down] = PARTS[area]
  const [left, top] = [startOf(across, width), startOf(down, height)]
  return { do: 'crop', left, top, width: lengthOf(across, width), height: lengthOf(down, height) }
}

function lengthOf(part: Part, side: number): number {
  return part === 'all' ? side : halfOf(side)
}

function startOf(part: Part, side: number): number {
  const rest = side - lengthOf(part, side)
  return part === 'last' ? rest : part === 'middle' ? Math.floor(rest / 2) : 0
}
