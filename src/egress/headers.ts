/** Headers that concern one connection and are never passed on (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

/** The headers to pass on, as name, value, name, value …: as they were sent, with duplicates. */
export function passOn(rawHeaders: readonly string[], ...dropped: readonly string[]): string[] {
  const pairs = toPairs(rawHeaders)
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((token) => token.trim().toLowerCase())
  const gone = new Set([...dropped, ...named])
  return pairs.flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    return HOP_BY_HOP.has(lower) || lower.startsWith('proxy-') || gone.has(lower) ? [] : [name, value]
  })
}

function toPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    pairs.push([rawHeaders[i] as string, rawHeaders[i + 1] as string])
  }
  return pairs
}
