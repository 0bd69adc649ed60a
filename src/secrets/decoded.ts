/** A text after some rounds of decoding. The unit at `index` came from `starts[index]` to `ends[index]` of the first text. */
export interface Decoded {
  readonly text: string
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** As addresses and forms, HTML, JSON and scripts write a character. */
const ADDRESS = /(?:%[0-9a-f]{2})+/gi
const HTML = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});/gi
const SCRIPT = /\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["'\\/bfnrt]/gi
const ANY = new RegExp([ADDRESS, HTML, SCRIPT].map(({ source }) => source).join('|'), 'gi')
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * The text itself, and what it becomes if it is read as each of these, as all of them, and so twice: an address may be a part of
 * another one. A secret may itself look like one of them, so each is read for itself.
 */
export function* decodings(text: string): Generator<Decoded> {
  const starts = Uint32Array.from({ length: text.length }, (_, index) => index)
  const first = { text, starts, ends: starts.map((index) => index + 1) }
  yield first
  const known = new Set([text])
  const isNew = (decoded: Decoded) => !known.has(decoded.text) && known.add(decoded.text)
  for (const way of [ADDRESS, HTML, SCRIPT, ANY]) {
    const once = decode(first, way)
    if (isNew(once)) yield once
    const twice = decode(once, way)
    if (isNew(twice)) yield twice
  }
}

function decode({ text, starts, ends }: Decoded, way: RegExp): Decoded {
  const parts: string[] = []
  // A text never becomes longer.
  const [newStarts, newEnds] = [new Uint32Array(text.length), new Uint32Array(text.length)]
  let length = 0
  const add = (part: string, from: number, to: number) => {
    parts.push(part)
    newStarts.fill(starts[from] ?? 0, length, length + part.length)
    newEnds.fill(ends[to - 1] ?? 0, length, length + part.length)
    length += part.length
  }
  const copy = (from: number, to: number) => {
    parts.push(text.slice(from, to))
    newStarts.set(starts.subarray(from, to), length)
    newEnds.set(ends.subarray(from, to), length)
    length += to - from
  }
  let done = 0
  for (const { 0: written, index } of text.matchAll(way)) {
    copy(done, index)
    done = index + written.length
    if (!written.startsWith('%')) add(characterOf(written), index, done)
    else {
      for (const { character, from, length } of charactersOf(written)) {
        add(character, index + 3 * from, index + 3 * (from + length))
      }
    }
  }
  copy(done, text.length)
  return { text: parts.join(''), starts: newStarts.subarray(0, length), ends: newEnds.subarray(0, length) }
}

function characterOf(written: string): string {
  if (/^\\[ux]./.test(written)) return String.fromCharCode(Number.parseInt(written.slice(2), 16))
  if (written.startsWith('\\')) return ESCAPED[written.slice(1)] ?? written.slice(1)
  const name = written.slice(1, -1)
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? ENTITIES.get(name.toLowerCase()) ?? written
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : written
}

/** `%C3%A9` is one character. Bytes that are not UTF-8 are one character each, as in Latin-1. */
function* charactersOf(written: string): Generator<{ character: string; from: number; length: number }> {
  const bytes = Buffer.from(written.replaceAll('%', ''), 'hex')
  for (let from = 0; from < bytes.length; ) {
    const first = bytes[from] ?? 0
    const length = lengthOf(first)
    const some = bytes.subarray(from, from + length)
    const character = length === 1 ? String.fromCharCode(first) : some.toString('utf8')
    const isUtf8 = length === 1 || (some.length === length && Buffer.from(character).equals(some))
    yield isUtf8 ? { character, from, length } : { character: String.fromCharCode(first), from, length: 1 }
    from += isUtf8 ? length : 1
  }
}

function lengthOf(first: number): number {
  if (first < 0xc0) return 1
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}

/** HTML's names of the characters that are likely in a password: all of ASCII that is no letter or digit, and Latin-1. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...names(0x21, 'excl quot num dollar percnt amp apos lpar rpar ast plus comma hyphen period sol'),
  ...names(0x3a, 'colon semi lt equals gt quest commat'),
  ...names(0x5b, 'lsqb bsol rsqb Hat lowbar grave'),
  ...names(0x7b, 'lcub verbar rcub'),
  ...names(0x5b, 'lbrack'),
  ...names(0x5d, 'rbrack'),
  ...names(0x7b, 'lbrace vert rbrace'),
  ...names(
    0xa0,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
      'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
      'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
      'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
      'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ),
  ['euro', '€'],
])

/** One character after the other. */
function names(first: number, list: string): [string, string][] {
  return list.split(' ').map((name, index) => [name, String.fromCharCode(first + index)])
}
