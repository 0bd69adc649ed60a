import type { Seen } from '../contract/seen.ts'

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
  const spellings = secrets
    .flatMap((secret) => [secret, ...(CREDENTIALS.exec(secret)?.slice(1) ?? [])])
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, ...inAddresses(secret), JSON.stringify(secret).slice(1, -1)])
  // The longest first: one may contain another.
  const hidden = [...new Set(spellings)].sort((a, b) => b.length - a.length)
  const text = (whole: string) => hidden.reduce((left, secret) => left.replaceAll(secret, CUT_OUT), whole)
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

/** As a form, a script and an address bar write it. */
function inAddresses(secret: string): string[] {
  const wellFormed = secret.toWellFormed()
  const form = new URLSearchParams({ '': wellFormed }).toString().slice(1)
  return [form, encodeURIComponent(wellFormed), encodeURI(wellFormed)]
}
