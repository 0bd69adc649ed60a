const LONGEST_NAME = 200

/** A page of a list that people write: an address, and a name after a space if they like. */
export interface PageLine {
  /** The number of its line, from 1. */
  readonly line: number
  readonly url: string
  readonly name: string
}

/** A comma within the path belongs to the address, unless a space, another comma or another address follows. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^\s,/?#]*(?:[/?#](?:(?!,(?:[\s,]|$|https?:\/\/))\S)*)?/i
const NEXT = /,\s*(?=https?:\/\/)/i

/**
 * Reads `https://example.com/pricing Our prices`, one page per line. Empty lines and lines that begin with `#` are skipped.
 * A line may have several addresses with commas between them. In a name, a comma is a comma unless `http://` or `https://`
 * follows it.
 */
export function readPageLines(text: string): PageLine[] {
  return text.split('\n').flatMap((line, index) => {
    const given = line.trim()
    return given.startsWith('#') ? [] : readLine(given, index + 1)
  })
}

function readLine(text: string, line: number): PageLine[] {
  const pages: PageLine[] = []
  let rest = withoutCommas(text)
  while (rest !== '') {
    const [url = ''] = ADDRESS.exec(rest) ?? []
    rest = rest.slice(url.length)
    const after = withoutCommas(rest)
    const name = rest.trimStart().startsWith(',') && isAddress(after) ? '' : nameIn(after)
    rest = withoutCommas(after.slice(name.length))
    pages.push({ line, url, name: name.trim() || defaultName(url) })
  }
  return pages
}

function nameIn(text: string): string {
  return text.slice(0, NEXT.exec(text)?.index)
}

/** Whether the first word can be an address: it has a dot, a colon or a slash. */
function isAddress(text: string): boolean {
  return /^[^\s,]*[.:/]/.test(text)
}

function withoutCommas(text: string): string {
  return text.replace(/^[\s,]+/, '')
}

/** An address without `https://` and without a slash at its end. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** The name of a page that was requested without one. */
export function defaultName(url: string): string {
  return (shortAddress(url) || url).slice(0, LONGEST_NAME)
}
