import { CaptureFailure } from '../camera/camera.ts'
import type { Seen } from '../contract/seen.ts'
import { findSecrets } from '../secrets/find-secrets.ts'

/** The credentials after the scheme in `Bearer abc`. */
const CREDENTIALS = /^(\S+) (\S+)$/
const CUT_OUT = '…'
const BASE64 = /^[\w+/-]{8,}={0,2}$/
/** The replacement for bytes that are not text. */
const NO_TEXT = /[\p{Cc}\ufffd]/u
/** The address of a page, which is not a secret. */
const ORIGIN = /^https?:\/\/[^/?#]*/i
/** Longer than the stored part of a text that the page chose. */
const LONGEST = 20_000

/** For whom the secrets are: the address of the page, and the origins that may have them. */
export interface Given {
  readonly url: string
  readonly home: readonly string[]
}

/**
 * Cuts secrets out of what a page has written. A form may put a password into an address, a browser into a message. What is known without
 * the page stays: the address that was given, and our own sentences, which name selectors, origins and hosts. A gap there would tell that a
 * user name is a word of them. Texts that an origin of another site chose are left out: it could write guesses, and see from the parts that
 * are cut out which of them is right.
 */
export function createHush(secrets: readonly string[], { url: given, home }: Given) {
  const hidden = secrets.flatMap(withParts).flatMap(withDecoded)
  const text = async (whole: string) => await cutOut(whole, hidden)
  /** Changes the error itself, with its causes. */
  const error = async (thrown: unknown): Promise<unknown> => {
    if (!(thrown instanceof Error) || hidden.length === 0) return thrown
    if (!(thrown instanceof CaptureFailure)) {
      thrown.message = await text(thrown.message)
      if (thrown.stack !== undefined) thrown.stack = await text(thrown.stack)
    }
    if (thrown.cause !== undefined) await error(thrown.cause)
    return thrown
  }
  const seen = async (whole: Seen): Promise<Seen> => {
    if (hidden.length === 0) return whole
    const origin = ORIGIN.exec(whole.url)?.[0] ?? ''
    if (!home.includes(URL.parse(origin)?.origin ?? '')) {
      return { ...whole, title: '', url: origin ? `${origin}/` : whole.url.replace(/:.*$/s, ':') }
    }
    const known = isWithin(whole.url, given) ? given.length : origin.length
    return {
      ...whole,
      title: await text(whole.title),
      url: whole.url.slice(0, known) + (await text(whole.url.slice(known))),
    }
  }
  return { seen, error }
}

/** Whether one address is the other with something after it. */
function isWithin(url: string, start: string): boolean {
  return url.startsWith(start) && /^($|[/?#&])/.test(url.slice(start.length))
}

/** `Bearer abc` contains a secret even without its first word. `Basic …` has a user name and a password in it. */
function withParts(secret: string): string[] {
  const [, scheme = '', credentials] = CREDENTIALS.exec(secret) ?? []
  if (credentials === undefined) return [secret]
  if (!/^basic$/i.test(scheme)) return [secret, credentials]
  const login = Buffer.from(credentials, 'base64').toString()
  const [user = '', ...password] = login.split(':')
  return [secret, credentials, login, user, password.join(':')]
}

/** Some values are written in a way that a page shows decoded: `a%20b`, Base64. */
function withDecoded(secret: string): string[] {
  const decoded = [readPercent(secret), readBase64(secret)]
  return [secret, ...decoded.filter((each) => each !== undefined && each !== secret)] as string[]
}

function readPercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function readBase64(text: string): string | undefined {
  if (!BASE64.test(text)) return undefined
  const decoded = Buffer.from(text, 'base64').toString()
  return NO_TEXT.test(decoded) ? undefined : decoded
}

async function cutOut(whole: string, hidden: readonly string[]): Promise<string> {
  const text = whole.slice(0, LONGEST)
  const found = await findSecrets(text, hidden)
  const parts: string[] = []
  let done = 0
  // One secret may contain another.
  for (const { start, end } of found.sort((one, other) => one.start - other.start || other.end - one.end)) {
    if (start >= done) parts.push(text.slice(done, start), CUT_OUT)
    done = Math.max(done, end)
  }
  // Where a long text was cut, the beginning of a secret may be left.
  if (whole.length > LONGEST && done > 0) return parts.join('')
  return parts.join('') + text.slice(done)
}
