/** Of the page, in its pixels. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** What is not compared: one byte for each pixel would be too many, so it is spans of columns for each row. */
export interface Mask {
  /** From and to, alternating, from left to right. Spans do not overlap. */
  readonly spans: (y: number) => readonly number[]
}

export const NO_MASK: Mask = { spans: () => [] }

export function maskOf(areas: readonly Area[], width: number): Mask {
  const rows = new Map<number, readonly number[]>()
  return {
    spans(y) {
      const known = rows.get(y)
      if (known) return known
      const spans = merge(
        areas
          .filter((area) => y >= area.y && y < area.y + area.height)
          .map((area) => [Math.max(0, area.x), Math.min(width, area.x + area.width)] as const)
          .filter(([from, to]) => to > from),
      )
      rows.set(y, spans)
      return spans
    },
  }
}

function merge(spans: (readonly [number, number])[]): number[] {
  const merged: number[] = []
  for (const [from, to] of spans.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last) merged[merged.length - 1] = Math.max(last, to)
    else merged.push(from, to)
  }
  return merged
}

/** Spans of columns that either masks. */
export function both(one: readonly number[], other: readonly number[]): readonly number[] {
  if (other.length === 0) return one
  if (one.length === 0) return other
  const pairs = (spans: readonly number[]) =>
    Array.from(
      { length: spans.length / 2 },
      (_, index) => [spans[index * 2] ?? 0, spans[index * 2 + 1] ?? 0] as const,
    )
  return merge([...pairs(one), ...pairs(other)])
}

/** The columns that are compared, as spans. */
export function open(spans: readonly number[], width: number): number[] {
  const left = [0, ...spans, width]
  return left.filter((_, index) => (left[index | 1] ?? 0) > (left[index & ~1] ?? 0))
}
