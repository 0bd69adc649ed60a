/** `named`: the page says that content is still to come. `alike`: boxes look as if. */
export type Placeholders = 'named' | 'alike' | 'none'

/** Runs in the page. Whether its window shows placeholders of content that is still to come. */
export function findPlaceholders(): Placeholders {
  const NAMED = /(^|[-_\s])(skeletons?|shimmer|placeholder[-_](glow|wave))([-_\s]|$)/i
  /** Fewer boxes that are alike, or smaller ones, may be anything. */
  const LEAST = { boxes: 3, width: 60, height: 8, share: 0.02 }
  /** A page with more text has its content. */
  const MOST_TEXT = 500
  const page = globalThis
  const isSeen = (element: Element) => {
    const { top, left, right, bottom, width, height } = element.getBoundingClientRect()
    const isIn = bottom > 0 && right > 0 && top < page.innerHeight && left < page.innerWidth
    const isLarge = width >= LEAST.width / 2 && height >= LEAST.height
    return isIn && isLarge && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  }
  const isGrey = (colour: string) => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
    const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)]
    return alpha > 0 && most - least < 16 && ((least > 190 && most < 252) || (least > 20 && most < 80))
  }
  const roots: (Document | ShadowRoot)[] = [page.document]
  /** Areas of empty boxes, by what they look like. */
  const alike = new Map<string, number[]>()
  for (const root of roots) {
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.getAttribute('aria-busy') === 'true' && isSeen(element)) return 'named'
      if (element.textContent.trim() !== '') continue
      const names = element.getAttribute('class')?.replace(/([a-z])([A-Z])/g, '$1-$2') ?? ''
      if (NAMED.test(names) && isSeen(element)) return 'named'
      if (element.childElementCount > 0 || !/^(div|span|li|p|td|section)$/.test(element.localName)) continue
      const { backgroundColor } = page.getComputedStyle(element)
      if (!isGrey(backgroundColor) || !isSeen(element)) continue
      const { width, height } = element.getBoundingClientRect()
      if (width < LEAST.width) continue
      const look = `${backgroundColor} ${Math.round(height)}`
      alike.set(look, [...(alike.get(look) ?? []), width * height])
    }
  }
  const enough = page.innerWidth * page.innerHeight * LEAST.share
  const areAlike = [...alike.values()].some(
    (areas) => areas.length >= LEAST.boxes && areas.reduce((all, area) => all + area, 0) >= enough,
  )
  return areAlike && page.document.body.innerText.trim().length <= MOST_TEXT ? 'alike' : 'none'
}
