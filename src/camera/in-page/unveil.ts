/** Runs in the page. Waits until its fonts are loaded and drawn. Returns whether the page can still change by itself. */
export async function whenDrawn(): Promise<boolean> {
  const page = globalThis
  await page.document.fonts.ready
  await new Promise((resolve) => page.requestAnimationFrame(resolve))
  return page.document.scripts.length > 0 || page.frames.length > 0
}

/** Runs in every frame, and in shadow roots that are closed. Loads and shows what the browser would load or draw only near the window. */
export function reveal(part?: unknown): void {
  const page = globalThis
  const isPage = !part && page.parent === page.window
  const { documentElement, body } = page.document
  /** What is fixed to the window covers no more than the window. */
  const isLong = isPage && documentElement.scrollHeight > page.innerHeight
  const roots = [(part as ShadowRoot | undefined) ?? page.document]
  const set = (element: HTMLElement, styles: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(styles)) element.style?.setProperty(name, value, 'important')
  }
  /** Whether it is a backdrop: it covers the window, and the content is before it. */
  const isBehind = (element: Element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    if (left > 0 || top > 0 || right < page.innerWidth || bottom < page.innerHeight) return false
    if (Number(page.getComputedStyle(element).zIndex) < 0) return true
    const places = Array.from({ length: 10 }, (_, index) => (index + 0.5) / 10)
    return places.some((x) =>
      places.some((y) => {
        const hit = page.document.elementFromPoint(page.innerWidth * x, page.innerHeight * y)
        return hit && !element.contains(hit) && !hit.contains(element)
      }),
    )
  }
  const backdrops: HTMLElement[] = []
  for (const root of roots) {
    for (const element of root.querySelectorAll<HTMLElement & { loading: string }>('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.loading === 'lazy') element.loading = 'eager'
      const style = page.getComputedStyle(element)
      if (style.contentVisibility === 'auto') {
        // Otherwise it is drawn only near the window. Its other containment stays.
        const parts = new Set(`${style.contain} layout style paint`.split(' '))
        parts.delete('none')
        const contain = /strict|content/.test(style.contain) ? {} : { contain: [...parts].join(' ') }
        set(element, { ...contain, 'content-visibility': 'visible' })
      }
      if (!isLong) continue
      if (style.position === 'fixed') backdrops.push(element)
      if (/fixed/.test(style.backgroundAttachment) && style.backgroundImage !== 'none') {
        set(element, { 'background-attachment': 'scroll' })
        // Stretched over the whole page, a photo would show little of itself. In its width it covers each window.
        if ((element === body || element === documentElement) && /url\(/.test(style.backgroundImage))
          if (/cover/.test(style.backgroundSize))
            set(element, {
              'background-size': '100% auto',
              'background-repeat': 'repeat-y',
              'background-position': 'top',
            })
      }
    }
  }
  const height = `${documentElement.scrollHeight}px`
  for (const element of backdrops.filter(isBehind))
    set(element, { height, 'max-height': 'none', top: '0', bottom: 'auto' })
}

/** Runs in the page. Whether a frame is below the first window. */
export function hasFrameBelow(): boolean {
  /** Smaller ones show nothing: they count visitors. */
  const LEAST = 20
  const page = globalThis
  const roots: (Document | ShadowRoot)[] = [page.document]
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (!/^(iframe|frame|object|embed)$/.test(element.localName)) continue
      const { width, height, bottom } = element.getBoundingClientRect()
      if (width > LEAST && height > LEAST && bottom + page.scrollY > page.innerHeight) return true
    }
  }
  return false
}

/**
 * Runs in the page. Shows what would appear only on scrolling, and goes back to the top. It scrolls from `from` down
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
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
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
 * Runs in the page, or in a shadow root that is closed. Whatever was scrolled goes back to where it began: frames of other origins may have
 * scrolled it, and one that did may be gone. A page whose address names a place in it began there.
 */
export function scrollBack(part?: unknown): void {
  const page = globalThis
  const roots = [part instanceof page.ShadowRoot ? part : page.document]
  let hasScrolled = false
  for (const root of roots) {
    for (const each of root.querySelectorAll<HTMLIFrameElement>('*')) {
      if (each.shadowRoot) roots.push(each.shadowRoot)
      if (/^(iframe|frame|object|embed)$/.test(each.localName) && each.contentDocument)
        roots.push(each.contentDocument)
      if (each.scrollTop === 0 && each.scrollLeft === 0) continue
      each.scrollTo({ top: 0, left: 0, behavior: 'instant' })
      hasScrolled = true
    }
  }
  if (hasScrolled) page.document.querySelector(':target')?.scrollIntoView({ behavior: 'instant' })
}
