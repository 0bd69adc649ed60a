import type { OverlayOptions, Sharp } from 'sharp'
import { bell } from './blur.ts'
import { load } from './load.ts'
import { castShadow, type Shadow } from './shadow.ts'

// What is done to a picture, in the words of sharp. One pass of sharp reads a picture, does operations to it, and writes it.
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

/** Pictures that are put over or under it. */
export interface Layers {
  readonly do: 'layers'
  readonly layers: readonly OverlayOptions[]
}

export type Operation = Crop | Resize | Extend | Blur | Shadow | Layers

/**
 * The order of sharp. It extends before it blurs, but then mixes transparent pixels into the colours. A shadow begins a pass: it
 * is made from the whole picture.
 */
const RANK: Record<Operation['do'], number> = { crop: 0, resize: 1, extend: 2, blur: 2, shadow: 3, layers: 4 }

/** Puts operations together that one pass can do. */
export function toPasses(operations: readonly Operation[]): Operation[][] {
  const passes: Operation[][] = []
  for (const operation of operations) {
    const last = passes.at(-1)
    const before = last?.at(-1)
    if (last && before && mayFollow(operation, before)) last.push(operation)
    else passes.push([operation])
  }
  return passes
}

function mayFollow(operation: Operation, before: Operation): boolean {
  if (operation.do === 'shadow') return false
  return operation.do === 'layers' || RANK[operation.do] > RANK[before.do]
}

/** One pass of sharp over a picture. */
export async function runPass(png: Buffer, pass: readonly Operation[]): Promise<Sharp> {
  const [first] = pass
  const cast = first?.do === 'shadow' ? await castShadow(png, first) : undefined
  const picture = cast ? cast.picture : await load(png, { limitInputPixels: false })
  const layers = [...(cast?.layers ?? [])]
  for (const operation of pass) {
    switch (operation.do) {
      case 'crop':
        picture.extract(operation)
        break
      case 'resize':
        picture.resize({ width: operation.width, height: operation.height, fit: 'fill' })
        break
      case 'extend':
        picture.extend(operation)
        break
      case 'blur':
        picture.blur(bell(operation.sigma))
        break
      case 'layers':
        layers.push(...operation.layers)
    }
  }
  return layers.length > 0 ? picture.composite(layers) : picture
}
