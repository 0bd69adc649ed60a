import { shortAddress } from '../../src/contract/page-names.ts'
import type { JobResult } from '../../src/contract/results.ts'
import type { Seen } from '../../src/contract/seen.ts'
import { explainMark, findOtherAddress, shortMark } from './marks.ts'
import { day, timeOfDay } from './words.ts'

/** Three lines below a picture: name, address, and facts. Returns the function that fills them. */
export function createCaption(element: HTMLElement): (job: JobResult, seen: Seen | undefined) => void {
  const [name, title, facts, marks] = [add('strong'), add('span'), add('span'), add('span')]
  const [asked, other] = [add('a'), add('a')]
  for (const text of [name, title]) text.dir = 'auto'
  for (const link of [asked, other]) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  marks.className = 'marks'
  element.append(line(name, title), line(asked, other), line(facts, marks))
  return ({ url, screenshotParameter: { width, height }, meta }, seen) => {
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
