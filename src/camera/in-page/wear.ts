export interface Styles {
  readonly css: string
  /** Selectors of what takes no space. */
  readonly hidden: readonly string[]
}

/** The sheets are ours. The page does not see them: they are in another world. */
type StyledPage = typeof globalThis & { proofsheetSheets?: CSSStyleSheet[] }

/**
 * Runs in every document of the page, in a world of our own, before its first script. No policy of the page forbids sheets
 * that are made in this way. A page may throw them out: then they are added again.
 */
export function wear(_: unknown, { css, hidden }: Styles): void {
  const page = globalThis as StyledPage
  if (page.top !== page.self) return
  const make = () => {
    const [own, hiding] = [new page.CSSStyleSheet(), new page.CSSStyleSheet()]
    own.replaceSync(css)
    for (const selector of hidden) {
      try {
        hiding.insertRule(`${selector} { display: none !important }`)
      } catch {
        // It is not a selector: `findUnhidden` says so.
      }
    }
    return [own, hiding]
  }
  page.proofsheetSheets ??= make()
  const worn = page.document.adoptedStyleSheets
  for (const sheet of page.proofsheetSheets) if (!worn.includes(sheet)) worn.push(sheet)
}

/** Runs in the page, in a world of our own. Which of these selectors match nothing, and which are none. */
export function findUnhidden(_: unknown, selectors: readonly string[]): ('invalid' | 'missing' | 'hidden')[] {
  return selectors.map((selector) => {
    try {
      return document.querySelector(selector) ? 'hidden' : 'missing'
    } catch {
      return 'invalid'
    }
  })
}
