import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** In bytes, both halves. With a sixteenth of it, one root takes a quarter more time (docs/performance.md). */
export const YOUNG_HEAP = 32 * 1024 * 1024

/**
 * Lets V8's young heap grow while it is small, and no further. Left to itself, V8 lets it grow during a long list from PostgreSQL:
 * three times the memory, for good, and no faster. And V8 makes it as small as possible when there is little to do, so a
 * service whose young heap must never grow would stay slow after its first quiet time.
 */
export function keepYoungHeap(): void {
  let mayGrow: boolean | undefined
  const look = () => {
    const isSmall = youngHeap() < YOUNG_HEAP
    if (isSmall === mayGrow) return
    mayGrow = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
  }
  look()
  // V8 changes its size only when it collects garbage. A look takes 5 µs.
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] })
}

export function youngHeap(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
