import { otherWork } from '../work/other-work.ts'
import { decodings } from './decoded.ts'

/** A shorter text is part of too many others: to cut it out everywhere would rather show it. */
const SHORTEST = 4
/** A text that shares this many first characters with a long secret contains a part of it. */
const HEAD = 64
/** Others come in between. */
const SLICE_MS = 5
/** The first and the last character of Base64 may have bits of a neighbour. */
const AROUND_BASE64 = { before: /[\w+/-]/, after: /[\w+/=-]/ }

const ASCII = /^\p{ASCII}*$/u
/** Characters of Base64 that also have bits of what stands before the secret, by the bytes of it in the last group of three. */
const SHARED = [0, 2, 3]

/** Units of UTF-16, the end excluded. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** Where a text has one of these secrets in it, however a form, a script, a server or an address bar has written it. */
export async function findSecrets(text: string, secrets: readonly string[]): Promise<Place[]> {
  const long = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST)
  if (long.length === 0 || text.length < SHORTEST) return []
  const places: Place[] = []
  const breathe = createBreath()
  for (const { text: whole, starts, ends } of decodings(text)) {
    await breathe()
    const [plainText, base64Text] = [foldPlain(whole), foldBase64(whole)]
    const add = ({ start, end }: Place) =>
      void places.push({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 })
    for (const secret of long) {
      const { plain, base64 } = spellingsOf(secret)
      for (const spelling of plain) {
        for (const place of placesOf(foldPlain(spelling), plainText)) add(place)
        await breathe()
      }
      for (const spelling of base64) {
        for (const place of placesOf(foldBase64(spelling), base64Text)) add(widen(place, whole))
        await breathe()
      }
    }
  }
  return places
}

function createBreath(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined
    return otherWork().then(() => {
      began = performance.now()
    })
  }
}

function placesOf(spelling: string, text: string): Place[] {
  const places: Place[] = []
  const head = spelling.slice(0, HEAD)
  for (let start = text.indexOf(head); start >= 0; ) {
    let end = start + head.length
    while (end - start < spelling.length && text[end] === spelling[end - start]) end++
    // To cut exactly as far as the two agree would tell the next character, one guess after the other.
    if (end - start < spelling.length) end = endOfWord(text, end)
    places.push({ start, end })
    start = text.indexOf(head, end)
  }
  return places
}

function endOfWord(text: string, from: number): number {
  const after = text.slice(from).search(/\s/)
  return after < 0 ? text.length : from + after
}

function widen({ start, end }: Place, text: string): Place {
  let last = end
  if (AROUND_BASE64.after.test(text[last] ?? '')) last++
  while (text[last] === '=') last++
  return { start: AROUND_BASE64.before.test(text[start - 1] ?? '') ? start - 1 : start, end: last }
}

/** Forms write a space as a plus. Small and large letters are the same, if their length is. */
function foldPlain(text: string): string {
  // A whole text has other small letters than its characters: a last Σ is ς.
  const small = ASCII.test(text) ? text.toLowerCase() : text.replaceAll(/./gsu, smallOf)
  return small.replaceAll('+', ' ')
}

function smallOf(character: string): string {
  const small = character.toLowerCase()
  return small.length === character.length ? small : character
}

/** In addresses, `-` and `_` stand for `+` and `/`. A plus may have been read as a space. */
function foldBase64(text: string): string {
  return text.replaceAll(/[-\s]/g, '+').replaceAll('_', '/')
}

/**
 * How pages write a secret, beside what `decodings` undoes: in other letters, backwards, as Base64, as hexadecimal digits. Other
 * characters around these texts may be part of it, too. `plain`: in letters of any case.
 */
function spellingsOf(secret: string): { plain: readonly string[]; base64: readonly string[] } {
  const forms = new Set([
    secret,
    secret.toUpperCase(),
    secret.toLowerCase(),
    secret.normalize('NFC'),
    secret.normalize('NFD'),
    [...secret].reverse().join(''),
    // As a title shows it.
    secret.replaceAll(/\s+/g, ' ').trim(),
  ])
  const written = new Set([...forms, encodeURIComponent(secret.toWellFormed())])
  const bytes = [...written].flatMap((form) => bytesOf(form))
  return {
    plain: [...forms, ...new Set(bytes.map((each) => each.toString('hex')))],
    base64: [...new Set(bytes.flatMap((each) => SHARED.map((_, shift) => base64Within(each, shift))))],
  }
}

/** In UTF-8, and in Latin-1 as `btoa` reads it. */
function bytesOf(text: string): Buffer[] {
  const isLatin1 = /[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)
  return [Buffer.from(text), ...(isLatin1 ? [Buffer.from(text, 'latin1')] : [])]
}

/** The characters that only these bytes decide, if they follow `shift` others. */
function base64Within(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return encoded.slice(SHARED[shift], Math.floor(((shift + bytes.length) * 8) / 6))
}
