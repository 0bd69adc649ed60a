const DOTTED_END = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/

/** The sixteen bytes of an IPv6 address, however it is spelled. It is one, and has no zone. */
export function bytesOf(address: string): readonly number[] {
  const hex = address.replace(DOTTED_END, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [before = [], after] = hex.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = after ? Array<string>(8 - before.length - after.length).fill('0') : []
  return [...before, ...zeros, ...(after ?? [])].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}
