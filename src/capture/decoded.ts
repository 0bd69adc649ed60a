/** A text after some rounds of decoding. The character at `index` came from `starts[index]` to `ends[index]` of the first text. */
export interface Decoded {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** As addresses, forms, HTML and JSON write a character. */
const WRITTEN =
  /(?:%[0-9a-f]{2})+|&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});|\\u[0-9a-f]{4}|\\["'\\/bfnrt]/gi
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The text itself, and what it is after one and after two rounds: an address may be a part of another one. */
export function decodings(text: string): Decoded[] {
  const units = Array.from({ length: text.length }, (_, index) => index)
  const first = { text, starts: units, ends: units.map((index) => index + 1) }
  const second = decode(first)
  return second.text === text ? [first] : [first, second, decode(second)]
}

function decode({ text, starts, ends }: Decoded): Decoded {
  const parts: string[] = []
  const [newStarts, newEnds]: [number[], number[]] = [[], []]
  const add = (part: string, from: number, to: number) => {
    parts.push(part)
    for (const _ of part.split('')) {
      newStarts.push(starts[from] ?? 0)
      newEnds.push(ends[to - 1] ?? 0)
    }
  }
  const copy = (from: number, to: number) => {
    parts.push(text.slice(from, to))
    for (let index = from; index < to; index++) {
      newStarts.push(starts[index] ?? 0)
      newEnds.push(ends[index] ?? 0)
    }
  }
  let done = 0
  for (const { 0: written, index } of text.matchAll(WRITTEN)) {
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
  return { text: parts.join(''), starts: newStarts, ends: newEnds }
}

function characterOf(written: string): string {
  if (written.startsWith('\\u')) return String.fromCharCode(Number.parseInt(written.slice(2), 16))
  if (written.startsWith('\\')) return ESCAPED[written.slice(1)] ?? written.slice(1)
  const name = written.slice(1, -1).toLowerCase()
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return NAMED[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : written)
}

/** `%C3%A9` is one character. Bytes that are not UTF-8 are one character each, as in Latin-1. */
function* charactersOf(written: string): Generator<{ character: string; from: number; length: number }> {
  const bytes = Buffer.from(written.replaceAll('%', ''), 'hex')
  for (let from = 0; from < bytes.length; ) {
    const length = lengthOf(bytes[from] ?? 0)
    const some = bytes.subarray(from, from + length)
    const character = some.toString('utf8')
    const isUtf8 = some.length === length && Buffer.from(character).equals(some)
    yield isUtf8
      ? { character, from, length }
      : { character: bytes.toString('latin1', from, from + 1), from, length: 1 }
    from += isUtf8 ? length : 1
  }
}

function lengthOf(first: number): number {
  if (first < 0xc0) return 1
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}
