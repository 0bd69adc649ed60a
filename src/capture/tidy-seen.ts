import { MAX_URL } from '../contract/requests.ts'
import { MARK_NAMES, type Seen } from '../contract/seen.ts'

const MAX_TITLE = 500
const MAX_DETAIL = 1_000
/** A page may lead to an address with a user name and a password. */
const USER = /^(https?:\/\/)[^/?#]*@/i

/** The page chose these texts. They are shortened, and changed so that every database can store them. */
export function tidySeen({ status, url, title, failedResources, marks, notes }: Seen): Seen {
  return {
    status,
    url: tidyText(url.replace(USER, '$1'), MAX_URL),
    title: tidyText(title, MAX_TITLE),
    failedResources,
    marks: MARK_NAMES.filter((mark) => marks.includes(mark)),
    ...(notes && {
      notes: notes.map(({ note, detail }) => ({ note, detail: tidyText(detail, MAX_DETAIL) })),
    }),
  }
}

function tidyText(text: string, max: number): string {
  const short = text.replaceAll('\0', '').slice(0, max)
  // The cut may leave half of a character. The text may have other halves.
  return short.replace(/[\ud800-\udbff]$/, '').toWellFormed()
}
