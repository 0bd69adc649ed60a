import type { Sharp } from 'sharp'
import { bell } from './blur.ts'
import { load } from './load.ts'
import type { Operation } from './operations.ts'
import { castShadow } from './shadow.ts'

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
