const QUOTE = 0x22
const BACKSLASH = 0x5c
/** What every byte is where it stands outside a text. */
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
  /** Values of every kind, and names of fields. */
  readonly parts: number
  /** How many lists and objects stand within each other. */
  readonly depth: number
}

/**
 * How much JSON there is in these bytes, before anything is made of it: a megabyte of small parts takes the parser a
 * quarter of a second, this a few milliseconds. Counts no further than `most`. Of what is not JSON it says something.
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
      // No JSON; the parser stops there as well.
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

/** Where something else begins. */
function endOf(bytes: Uint8Array, begin: number, kind: number): number {
  let at = begin + 1
  while (at < bytes.length && KINDS[bytes[at] as number] === kind) at++
  return at
}

/** Behind the quote that ends a text. */
function endOfText(bytes: Uint8Array, begin: number): number {
  let at = begin + 1
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) break
    at += byte === BACKSLASH ? 2 : 1
  }
  return at + 1
}
