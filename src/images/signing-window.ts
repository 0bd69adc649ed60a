/** When an address was signed and until when it holds, in Unix seconds; the same for every `now` within one window. */
export function signingWindow(now: number, windowMs: number): { signed: number; expires: number } {
  const start = Math.floor(now / windowMs) * windowMs
  // Two windows from the start of this one: at least one window of life, at most two.
  return { signed: Math.floor(start / 1000), expires: Math.floor((start + 2 * windowMs) / 1000) }
}
