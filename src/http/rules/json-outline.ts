const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The meaning of each byte outside of a text. */
const SCALAR = 0
const BETWEEN = 1
const OPEN = 2
const CLOSE = 3
const TEXT = 4
const KINDS = new Uint8Array(256)
for (const between of ' \t\r\n,:') KINDS[between.charCodeAt(0)] = BETWEEN
for (const open of '[{') KINDS[open.charCodeAt(0)] = OPEN
for (const close of ']}') KINDS[close.charCodeAt(0)] = CLOSE
KINDS[QUOTE] = TEXT

export interface Outline {
  /** The number of values and names of fields. */
  readonly parts: number
  /** How deep lists and objects are nested. */
  readonly depth: number
}

/**
 * Counts the parts of a JSON text before it is parsed. For a megabyte of small parts the parser needs a quarter of a second,
 * and this a few milliseconds. Stops counting at `most`. For bytes that are not JSON, the result has no meaning.
 */
export function outlineJson(bytes: Uint8Array, most: Outline): Outline {
  let parts = 0
  let open = 0
  let depth = 0
  let at = 0
  while (at < bytes.length && parts <= most.parts && depth <= most.depth) {
    const kind = KINDS[bytes[at] as number]
    if (kind === BETWEEN) {
      at = endOf(bytes, at, BETWEEN)
      continue
    }
    if (kind === CLOSE) {
      // Not JSON: the parser stops here, too.
      if (--open < 0) break
      at++
      continue
    }
    parts++
    if (kind === TEXT) at = endOfText(bytes, at)
    else if (kind === SCALAR) at = endOf(bytes, at, SCALAR)
    else {
      at++
      open++
      if (open > depth) depth = open
    }
  }
  return { parts, depth }
}

/** Where bytes of another kind begin. */
function endOf(bytes: Uint8Array, begin: number, kind: number): number {
  let at = begin + 1
  while (at < bytes.length && KINDS[bytes[at] as number] === kind) at++
  return at
}

/** The bytes of a string that are searched here. In a longer one, `indexOf` finds the quote: it is much faster. */
const SHORT = 64

/** The position after the quote that ends a text. */
function endOfText(bytes: Uint8Array, begin: number): number {
  let at = begin + 1
  let end = at + SHORT
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) break
    at += byte === BACKSLASH ? 2 : 1
    if (at < end) continue
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return bytes.length
    at = bytes[quote - 1] === BACKSLASH ? beforeBackslashes(bytes, quote, at) : quote
    end = quote + SHORT
  }
  return at + 1
}

/** Where the backslashes before this quote begin, at the earliest at `least`. */
function beforeBackslashes(bytes: Uint8Array, quote: number, least: number): number {
  let at = quote
  while (at > least && bytes[at - 1] === BACKSLASH) at--
  return at
}
