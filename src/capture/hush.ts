import type { Seen } from '../contract/seen.ts'
import { decodings } from './decoded.ts'

/** A shorter text is part of too many others: to cut it out everywhere would rather show it. */
const SHORTEST = 4
/** What follows the scheme in `Bearer abc`. */
const CREDENTIALS = /^\S+ (\S+)$/
const CUT_OUT = '…'
/** Where a page is: that is no secret. */
const ORIGIN = /^https?:\/\/[^/?#]*/i
/** More than is stored of a text that the page chose. */
const LONGEST = 20_000

/** Cuts secrets out of what came of a page. A form may put a password into an address, a browser into a message. */
export interface Hush {
  seen(seen: Seen): Seen
  /** Changes the error itself, with its causes. */
  error(error: unknown): unknown
}

export function createHush(secrets: readonly string[]): Hush {
  const hidden = secrets
    .flatMap((secret) => [secret, ...(CREDENTIALS.exec(secret)?.slice(1) ?? [])])
    .filter((secret) => secret.length >= SHORTEST)
    .map(likeInAForm)
  const text = (whole: string) => (hidden.length === 0 ? whole : cutOut(whole, hidden))
  const error = (thrown: unknown): unknown => {
    if (!(thrown instanceof Error) || hidden.length === 0) return thrown
    thrown.message = text(thrown.message)
    if (thrown.stack !== undefined) thrown.stack = text(thrown.stack)
    if (thrown.cause !== undefined) error(thrown.cause)
    return thrown
  }
  const seen = (whole: Seen): Seen => {
    if (hidden.length === 0) return whole
    const notes = whole.notes?.map((note) => ({ ...note, detail: text(note.detail) }))
    const origin = ORIGIN.exec(whole.url)?.[0] ?? ''
    const url = origin + text(whole.url.slice(origin.length, LONGEST))
    return { ...whole, url, title: text(whole.title.slice(0, LONGEST)), ...(notes && { notes }) }
  }
  return { seen, error }
}

/** However a form, a script, a server or an address bar has written them. */
function cutOut(whole: string, hidden: readonly string[]): string {
  const found = decodings(whole).flatMap(({ text, starts, ends }) => {
    const plain = likeInAForm(text)
    return hidden.flatMap((secret) =>
      placesOf(secret, plain).map((at) => ({
        start: starts[at] ?? 0,
        end: ends[at + secret.length - 1] ?? 0,
      })),
    )
  })
  const parts: string[] = []
  let done = 0
  let open = 0
  // One secret may contain another.
  for (const { start, end } of found.sort((one, other) => one.start - other.start || other.end - one.end)) {
    if (start >= open) parts.push(whole.slice(done, start), CUT_OUT)
    open = Math.max(open, end)
    done = open
  }
  return parts.join('') + whole.slice(done)
}

function placesOf(secret: string, text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) places.push(at)
  return places
}

/** Forms write a space as a plus. */
function likeInAForm(text: string): string {
  return text.replaceAll('+', ' ')
}
