/** Runs in the page. Waits until its fonts are loaded and drawn. Returns whether the page can still change by itself. */
export async function whenDrawn(): Promise<boolean> {
  const page = globalThis
  await page.document.fonts.ready
  await new Promise((resolve) => page.requestAnimationFrame(resolve))
  return page.document.scripts.length > 0 || page.frames.length > 0
}

/**
 * Runs in the page. Loads and shows what would appear only on scrolling, and goes back to the top. It scrolls from `from` down
 * to `most` as a reader would, more slowly if a script listens for scrolling. Returns how far it came.
 */
export async function unveil(given: { most: number; listens: boolean; from: number }): Promise<number> {
  const { most, listens, from } = given
  const page = globalThis
  const frame = () => new Promise((resolve) => page.requestAnimationFrame(resolve))
  const attributes = ['class', 'style'] as const
  const read = (element: Element) => attributes.map((name) => element.getAttribute(name))
  const isHidden = (element: Element) => {
    const { opacity, visibility } = page.getComputedStyle(element)
    return opacity === '0' || visibility === 'hidden'
  }
  /** Fixed to the window: it changes with scrolling, so it stays as it is at the top. */
  const stays = (element: Element | null): boolean =>
    element !== null &&
    (/fixed|sticky/.test(page.getComputedStyle(element).position) || stays(element.parentElement))
  /** Elements that are hidden again, and their style while they were visible. */
  const hidden = new Map<Element, { before: string; seen?: (string | null)[] }>()

  const roots: (Document | ShadowRoot)[] = [page.document]
  for (const root of roots) {
    for (const element of root.querySelectorAll<HTMLElement & { loading: string }>('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.loading === 'lazy') element.loading = 'eager'
      const { contentVisibility, contain } = page.getComputedStyle(element)
      if (contentVisibility === 'auto') {
        // Otherwise it is drawn only near the window. Its other containment stays.
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
  /** An element that hides when it leaves the window is shown as it was in the window. */
  const showAgain = (element: Element) => {
    const { before, seen } = hidden.get(element) ?? {}
    if (!seen || read(element).join() !== before) return
    // Only once: a script that hides it again is not fought.
    hidden.delete(element)
    attributes.forEach((name, index) => {
      const value = seen[index]
      if (typeof value === 'string') element.setAttribute(name, value)
      else element.removeAttribute(name)
    })
  }
  let isThrough = false
  // A script may react late: changes are seen until the page is back at its top.
  const watch = new page.MutationObserver((changes) => {
    for (const change of changes) {
      const target = change.target as Element
      const state = hidden.get(target)
      const now = read(target)
      if (state && now.join() !== state.before) state.seen = now
      else if (isThrough) showAgain(target)
    }
  })
  for (const element of hidden.keys()) watch.observe(element, { attributeFilter: [...attributes] })

  /** Some scripts check the scroll position from time to time, most of them at least this often. */
  const PAUSE_MS = 50
  /** Some check less often. This wait at the end is for them. */
  const LAST_PAUSE_MS = 200
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const scroll = async (top: number) => {
    page.scrollTo({ top, behavior: 'instant' })
    // Scripts get the event with the first frame; their changes are drawn with the second.
    await frame()
    await Promise.all([frame(), listens && pause(PAUSE_MS)])
  }
  // A page that a phone shows smaller is longer than its picture.
  const height = () =>
    Math.min(most / (page.visualViewport?.scale ?? 1), page.document.documentElement.scrollHeight)
  let end = height()
  for (let top = Math.max(from, page.innerHeight); top < height(); top += page.innerHeight) {
    // Measured before: what this step makes longer was not scrolled to.
    end = height()
    await scroll(top)
  }
  if (page.scrollY !== 0) {
    if (listens) await pause(LAST_PAUSE_MS)
    await scroll(0)
  }
  isThrough = true
  for (const element of hidden.keys()) showAgain(element)
  return end
}

/** Runs in the page. How far there is something to unveil. */
export function endOf(most: number): number {
  const { visualViewport, document } = globalThis
  return Math.min(most / (visualViewport?.scale ?? 1), document.documentElement.scrollHeight)
}

/** Runs in the page. Resolves when it has drawn `count` frames. */
export async function drawFrames(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) {
    await new Promise((resolve) => globalThis.requestAnimationFrame(resolve))
  }
}

export function goToTop(): void {
  globalThis.scrollTo({ top: 0, behavior: 'instant' })
}

/**
 * Runs in the page. If a frame of another origin is in the window, whatever scrolls around it goes back to where it began: the frame may
 * have scrolled it. A page whose address names a place in it began there.
 */
export function scrollBack(): void {
  /** An element, a shadow root or a document. */
  type Box = Node &
    Partial<Pick<Element, 'scrollTop' | 'scrollLeft' | 'scrollTo'>> &
    Partial<Pick<ShadowRoot, 'host'> & Pick<Document, 'defaultView'>>
  const page = globalThis
  const roots: (Document | ShadowRoot)[] = [page.document]
  const foreign: Element[] = []
  for (const root of roots) {
    for (const each of root.querySelectorAll<HTMLIFrameElement>('*')) {
      if (each.shadowRoot) roots.push(each.shadowRoot)
      if (!/^(iframe|frame|object|embed)$/.test(each.localName)) continue
      if (each.contentDocument) roots.push(each.contentDocument)
      else foreign.push(each)
    }
  }
  const isInWindow = (frame: Element) => {
    // In a frame of the page, its place says nothing about the window.
    if (frame.ownerDocument !== page.document) return true
    const { top, bottom, left, right } = frame.getBoundingClientRect()
    const isIn = bottom >= 0 && right >= 0 && top <= page.innerHeight && left <= page.innerWidth
    return isIn && page.getComputedStyle(frame).display !== 'none'
  }
  let hasScrolled = false
  for (const frame of foreign.filter(isInWindow)) {
    let box: Box | null | undefined = frame
    while (box) {
      if (box.scrollTop || box.scrollLeft) {
        box.scrollTo?.({ top: 0, left: 0, behavior: 'instant' })
        hasScrolled = true
      }
      box = box.parentNode ?? box.host ?? box.defaultView?.frameElement
    }
  }
  if (!hasScrolled) return
  page.document.querySelector(':target')?.scrollIntoView({ behavior: 'instant' })
}
