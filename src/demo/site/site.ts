import { renderBlog } from './blog.ts'
import { renderDocs } from './docs.ts'
import { renderHome } from './home.ts'
import { renderDocument } from './layout.ts'
import type { Look } from './looks.ts'
import { renderPricing } from './pricing.ts'

export { type Look, looks } from './looks.ts'
export { renderStyle } from './style.ts'

export const pages = ['home', 'pricing', 'docs', 'blog'] as const
export type PageName = (typeof pages)[number]

const contents: Record<PageName, { title: string; render(look: Look): string }> = {
  home: { title: 'Fernweh: long journeys by train', render: renderHome },
  pricing: { title: 'Pricing · Fernweh', render: renderPricing },
  docs: { title: 'Your first journey · Fernweh guide', render: renderDocs },
  blog: { title: 'Letters · Fernweh', render: renderBlog },
}

export function pathOf(page: PageName): string {
  return page === 'home' ? '/' : `/${page}`
}

/** A complete HTML document; its style lies at `/style.css`. */
export function renderPage(page: PageName, look: Look): string {
  const { title, render } = contents[page]
  return renderDocument(look, pathOf(page), title, render(look))
}

export function renderNotFound(look: Look): string {
  return renderDocument(
    look,
    '',
    'Not found · Fernweh',
    '<section class="intro"><div class="wrap"><h1>This train does not stop here</h1><p class="lede">There is no such page. <a href="/">Go back to the station</a> and try another platform.</p></div></section>',
  )
}
