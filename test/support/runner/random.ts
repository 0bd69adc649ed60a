import { randomInt } from 'node:crypto'

/** TEST_SEED repeats the same choices. Simultaneous writes may still happen in another order. */
const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 32))
process.stderr.write(`chosen at random: TEST_SEED=${seed}\n`)

/** From 0 to below 1: mulberry32, so that a seed gives the same numbers everywhere. */
function createRandom(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const random = createRandom(seed)
export const chance = (probability: number) => random() < probability
export const whole = (below: number) => Math.floor(random() * below)
export const pick = <T>(some: readonly T[]): T => some[whole(some.length)] as T
