const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const DURATION = /^([1-9]\d{0,5})(s|m|h|d)$/

/** `90s`, `15m`, `6h` or `7d`, in milliseconds. Undefined if it is something else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

export function problemOfDuration(text: string): string | undefined {
  return parseDuration(text) === undefined ? 'must be a number with s, m, h or d, such as 6h' : undefined
}
