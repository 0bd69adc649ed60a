import type { ExtendOptions, OverlayOptions, Region, Sharp } from 'sharp'
import type { Size } from '../contract/picture-sizes.ts'

// One pass of sharp reads a picture, does operations to it, and writes it. Within a pass sharp has an order of its own, so
// operations that must be done in another order need several passes.

/** A picture of sharp, and pictures that are put over or under it at the end of the pass. */
export interface InPass {
  readonly picture: Sharp
  readonly layers: OverlayOptions[]
}

/**
 * An operation on a picture. `rank`: its place in the order of sharp, which extends before it blurs, but then mixes transparent pixels
 * into the colours.
 */
export type Operation =
  | { readonly rank: number; do(pass: InPass): void }
  /** Begins a pass: it is made from the whole picture. */
  | { readonly rank: 'first'; begin(png: Buffer): Promise<InPass> }

/** The rank of layers: any number of them come last. */
export const LAST = 3

export function crop(region: Region): Operation {
  return { rank: 0, do: ({ picture }) => void picture.extract(region) }
}

export function resize({ width, height }: Size): Operation {
  return { rank: 1, do: ({ picture }) => void picture.resize({ width, height, fit: 'fill' }) }
}

/** Adds pixels to the sides. */
export function extend(sides: ExtendOptions): Operation {
  return { rank: 2, do: ({ picture }) => void picture.extend(sides) }
}

export const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 }

/** Transparent pixels on all four sides. */
export function margin(wide: number): Operation[] {
  if (wide === 0) return []
  return [extend({ top: wide, bottom: wide, left: wide, right: wide, background: TRANSPARENT })]
}

/** Puts pictures over or under it. */
export function addLayers(added: readonly OverlayOptions[]): Operation {
  return { rank: LAST, do: ({ layers }) => void layers.push(...added) }
}
