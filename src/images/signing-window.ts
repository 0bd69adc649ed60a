/** When an address was signed and when it expires, in Unix seconds. The same for every `now` within one signing window. */
export function signingWindow(now: number, windowMs: number): { signed: number; expires: number } {
  const start = Math.floor(now / windowMs) * windowMs
  // Two windows from the start of this one: an address is valid for one to two windows.
  return { signed: Math.floor(start / 1000), expires: Math.floor((start + 2 * windowMs) / 1000) }
}
