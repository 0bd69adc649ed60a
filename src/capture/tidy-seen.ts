import { MAX_URL } from '../contract/requests.ts'
import { MARK_NAMES, type Seen } from '../contract/seen.ts'

const MAX_TITLE = 500

/** A page may call itself anything. What is kept of it is short, and every database can hold it. */
export function tidySeen({ status, url, title, failedResources, marks }: Seen): Seen {
  return {
    status,
    url: tidyText(url, MAX_URL),
    title: tidyText(title, MAX_TITLE),
    failedResources,
    marks: MARK_NAMES.filter((mark) => marks.includes(mark)),
  }
}

function tidyText(text: string, max: number): string {
  const short = text.replaceAll('\0', '').slice(0, max)
  // Half of a character that the end has left, and halves that were there before.
  return short.replace(/[\ud800-\udbff]$/, '').toWellFormed()
}
