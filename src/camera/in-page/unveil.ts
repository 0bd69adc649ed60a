import type { ElementRoot, PageElement, PageGlobals } from './dom.ts'

/** Runs in the page: its fonts are there, and drawn. Answers whether it could still change by itself. */
export async function whenDrawn(): Promise<boolean> {
  const page = globalThis as unknown as PageGlobals
  await page.document.fonts.ready
  await new Promise((resolve) => page.requestAnimationFrame(resolve))
  return page.document.scripts.length > 0 || page.frames.length > 0
}

/**
 * Runs in the page: what would load or appear only where someone scrolls to it is there, and the page is at its top
 * again. It is scrolled through as far as `most`, as a reader would; more slowly where a script listens for that.
 */
export async function unveil({ most, listens }: { most: number; listens: boolean }): Promise<void> {
  const page = globalThis as unknown as PageGlobals
  const frame = () => new Promise((resolve) => page.requestAnimationFrame(resolve))
  const attributes = ['class', 'style'] as const
  const read = (element: PageElement) => attributes.map((name) => element.getAttribute(name))
  const isHidden = (element: PageElement) => {
    const { opacity, visibility } = page.getComputedStyle(element)
    return opacity === '0' || visibility === 'hidden'
  }
  /** With the window: it comes and goes with scrolling, and at the top it is as it is there. */
  const stays = (element: PageElement | null): boolean =>
    element !== null &&
    (/fixed|sticky/.test(page.getComputedStyle(element).position) || stays(element.parentElement))
  /** Those that are hidden, and what they were like when they were seen. */
  const hidden = new Map<PageElement, { before: string; seen?: (string | null)[] }>()

  const roots: ElementRoot[] = [page.document]
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.loading === 'lazy') element.loading = 'eager'
      const { contentVisibility, contain } = page.getComputedStyle(element)
      if (contentVisibility === 'auto') {
        // Else it is drawn only near the window. What it holds stays apart from the rest, as it does there.
        const parts = new Set(`${contain} layout style paint`.split(' '))
        if (!/strict|content/.test(contain)) {
          element.style?.setProperty(
            'contain',
            [...parts].filter((part) => part !== 'none').join(' '),
            'important',
          )
        }
        element.style?.setProperty('content-visibility', 'visible', 'important')
      }
      if (isHidden(element) && !stays(element)) hidden.set(element, { before: read(element).join() })
    }
  }
  /** What hides again as soon as it is out of sight is shown as it was in sight. */
  const showAgain = (element: PageElement) => {
    const { before, seen } = hidden.get(element) ?? {}
    if (!seen || read(element).join() !== before) return
    // Once: a script that insists has its way.
    hidden.delete(element)
    attributes.forEach((name, index) => {
      const value = seen[index]
      if (typeof value === 'string') element.setAttribute(name, value)
      else element.removeAttribute(name)
    })
  }
  let isThrough = false
  // However late a script hears of it, each change is seen: also when the page is back at its top.
  const watch = new page.MutationObserver((changes) => {
    for (const { target } of changes) {
      const state = hidden.get(target)
      const now = read(target)
      if (state && now.join() !== state.before) state.seen = now
      else if (isThrough) showAgain(target)
    }
  })
  for (const element of hidden.keys()) watch.observe(element, { attributeFilter: attributes })

  /** Scripts that look where the page is scrolled to do so every now and then: most of them as often as this. */
  const PAUSE_MS = 50
  /** Some look less often. What they have missed on the way they find at the end. */
  const LAST_PAUSE_MS = 200
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const scroll = async (top: number) => {
    page.scrollTo({ top, behavior: 'instant' })
    // Scripts hear of it with the first frame, and what they change is there with the second.
    await frame()
    await Promise.all([frame(), listens && pause(PAUSE_MS)])
  }
  const height = () => Math.min(most, page.document.documentElement.scrollHeight)
  for (let top = page.innerHeight; top < height(); top += page.innerHeight) await scroll(top)
  if (page.scrollY !== 0) {
    if (listens) await pause(LAST_PAUSE_MS)
    await scroll(0)
  }
  isThrough = true
  for (const element of hidden.keys()) showAgain(element)
}

/** Runs in the page: resolves when so many of its frames have passed. */
export async function drawFrames(count: number): Promise<void> {
  const page = globalThis as unknown as PageGlobals
  for (let passed = 0; passed < count; passed++) {
    await new Promise((resolve) => page.requestAnimationFrame(resolve))
  }
}

/** Runs in the page. */
export function goToTop(): void {
  const page = globalThis as unknown as PageGlobals
  page.scrollTo({ top: 0, behavior: 'instant' })
}
