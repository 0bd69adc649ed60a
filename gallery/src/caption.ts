import { shortAddress } from '../../src/contract/page-lines.ts'
import type { JobResult } from '../../src/contract/results.ts'
import { askedFor, windowName } from './asked.ts'
import type { KnownPage } from './known-pages.ts'
import { explainMark, findOtherAddress, notesOf, shortMark } from './marks.ts'
import { day, timeOfDay } from './words.ts'

/** The characters that fit into a line on a wide screen. A longer text gets two lines. */
const LINE = 120

/** How many more lines a picture has: its options, and the steps that did not work. */
export function countLines(known: KnownPage | undefined): number {
  const texts = [askedIn(known), notesIn(known)]
  return texts.reduce((lines, { length }) => lines + Math.min(2, Math.ceil(length / LINE)), 0)
}

/**
 * The lines below a picture: name, address, facts; then its options and the steps that did not work, if there are any.
 * Returns the function that fills them.
 */
export function createCaption(element: HTMLElement): (job: JobResult, known: KnownPage | undefined) => void {
  const [name, title, facts, marks] = [add('strong'), add('span'), add('span'), add('span')]
  const [options, notes] = [add('span'), add('span')]
  for (const text of [options, notes]) text.className = 'sentence'
  const [asked, other] = [add('a'), add('a')]
  for (const text of [name, title]) text.dir = 'auto'
  for (const link of [asked, other]) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  marks.className = 'marks'
  element.append(line(name, title), line(asked, other), line(facts, marks), line(options), line(notes))
  return ({ url, screenshotParameter: { width, height }, meta }, known) => {
    const seen = known?.seen
    options.textContent = askedIn(known)
    notes.textContent = notesIn(known)
    name.textContent = url.name
    title.textContent = seen && seen.title !== url.name ? seen.title : ''
    lead(asked, url.url)
    lead(other, findOtherAddress(url.url, seen) ?? '', '→ ')
    facts.textContent = `${width} × ${height} · ${day(meta.created)}, ${timeOfDay(meta.created)}`
    marks.replaceChildren(
      ...(seen?.marks ?? []).map((mark) => {
        const [short, sentence] = [add('span'), add('span')]
        short.className = mark
        short.title = explainMark(mark)
        sentence.className = 'unseen'
        sentence.textContent = `: ${explainMark(mark)}. `
        short.append(seen ? shortMark(mark, seen) : '', sentence)
        return short
      }),
    )
  }
}

/** Empty if the request had no option but a window, and the picture shows it. */
function askedIn(known: KnownPage | undefined): string {
  if (!known?.options) return ''
  const asked = askedFor(known.options)
  return asked.length === 0 && !known.options.fullPage
    ? ''
    : [windowName(known.options), ...asked].join(' · ')
}

function notesIn(known: KnownPage | undefined): string {
  return notesOf(known?.seen)
    .map(({ sentence }) => `${sentence}.`)
    .join(' ')
}

function add<K extends keyof HTMLElementTagNameMap>(tag: K): HTMLElementTagNameMap[K] {
  return document.createElement(tag)
}

function line(...parts: HTMLElement[]): HTMLElement {
  const element = add('div')
  element.append(...parts)
  return element
}

/** Only http and https addresses become links: a `javascript:` address would run. */
function lead(link: HTMLAnchorElement, url: string, before = ''): void {
  link.hidden = url === ''
  link.textContent = before + shortAddress(url)
  if (/^https?:/i.test(url)) link.href = url
  else link.removeAttribute('href')
}
