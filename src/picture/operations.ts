import type { OverlayOptions } from 'sharp'
import type { Size } from '../contract/picture-sizes.ts'

// The operations on a picture, in the words of sharp. One pass of sharp reads a picture, does operations to it, and writes it.
// Within a pass sharp has an order of its own, so operations that must be done in another order need several passes.

export interface Crop {
  readonly do: 'crop'
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Resize {
  readonly do: 'resize'
  readonly width: number
  readonly height: number
}

/** Pixels that are added to the sides. */
export interface Extend {
  readonly do: 'extend'
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
  readonly background: { r: number; g: number; b: number; alpha: number }
}

export interface Blur {
  readonly do: 'blur'
  /** Standard deviation. */
  readonly sigma: number
}

export interface Shadow extends Size {
  readonly do: 'shadow'
  readonly margin: number
  /** Standard deviation. */
  readonly sigma: number
  /** Downwards. */
  readonly offset: number
  /** From 0 to 1. */
  readonly strength: number
  readonly color: { readonly r: number; readonly g: number; readonly b: number }
}

/** Pictures that are put over or under it. */
export interface Layers {
  readonly do: 'layers'
  readonly layers: readonly OverlayOptions[]
}

export type Operation = Crop | Resize | Extend | Blur | Shadow | Layers
