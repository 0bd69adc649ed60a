/** The texts that stand for a secret. Other characters around them may be part of it, too. */
export interface Spellings {
  /** In letters of any case. */
  readonly plain: readonly string[]
  readonly base64: readonly string[]
}

/** Characters of Base64 that also have bits of what stands before the secret, by the bytes of it in the last group of three. */
const SHARED = [0, 2, 3]

/** How pages write a secret, beside what `decodings` undoes: in other letters, backwards, as Base64, as hexadecimal digits. */
export function spellingsOf(secret: string): Spellings {
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
