import type { BlurOptions } from 'sharp'
import type { Size } from '../contract/picture-sizes.ts'
import { type Operation, resize } from './operations.ts'

/** Less changes no pixel by one step of its colour. */
const LEAST_SIGMA = 0.3
/** A copy that is shrunk until its blur is about so wide looks the same when it is enlarged again, and is done sooner. */
const SMALL_SIGMA = 2

/** By default sharp cuts the bell curve off at 0.2, and computes in whole numbers: white becomes a light grey. */
export function bell(sigma: number): BlurOptions {
  return { sigma, minAmplitude: 0.01, precision: 'float' }
}

/** How many times a picture may be shrunk before it is blurred. */
export function shrinkFor(sigma: number): number {
  return Math.max(1, Math.floor(sigma / SMALL_SIGMA))
}

export function isVisible(sigma: number): boolean {
  return sigma >= LEAST_SIGMA
}

/** `sigma`: the standard deviation. */
export function blur({ width, height }: Size, sigma: number): Operation[] {
  if (!isVisible(sigma)) return []
  const times = shrinkFor(sigma)
  const blurred: Operation = { rank: 2, do: ({ picture }) => void picture.blur(bell(sigma / times)) }
  if (times === 1) return [blurred]
  const small = { width: Math.ceil(width / times), height: Math.ceil(height / times) }
  return [resize(small), blurred, resize({ width, height })]
}
