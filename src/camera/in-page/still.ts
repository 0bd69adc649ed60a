/**
 * Runs in the page. Stops all movement: an animation is shown at its end, an endless one at its beginning, and
 * nothing blinks.
 */
export async function still(fullPage: boolean): Promise<void> {
  /** The longest wait for a video. */
  const VIDEO_MS = 1_000
  const NO_SOURCE = 3
  /** Every animation of SVG that has an end has reached it by then. */
  const DRAWING_SECONDS = 60
  const DRAWINGS = 'svg:has(animate, animateTransform, animateMotion, set)'

  const roots: (Document | ShadowRoot)[] = [globalThis.document]
  for (const root of roots) {
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot)
  }

  const stillMovements = (root: DocumentOrShadowRoot) => {
    for (const movement of root.getAnimations()) {
      try {
        const { timeline } = movement
        const isScrolled = timeline !== null && ('source' in timeline || 'subject' in timeline)
        // On a full page, what scrolling would reveal is revealed. Other scroll animations stay as they are.
        if (isScrolled) {
          if (fullPage && 'subject' in timeline) movement.cancel()
          continue
        }
        const { endTime, delay = 0 } = movement.effect?.getComputedTiming() ?? {}
        if (endTime === Number.POSITIVE_INFINITY) {
          movement.pause()
          movement.currentTime = Math.max(0, delay)
        } else movement.finish()
      } catch {
        // An animation that cannot be finished stays as it is.
      }
    }
  }

  /** A video that started by itself goes back to its first frame. */
  const rewind = async (video: HTMLVideoElement) => {
    if (!video.autoplay && video.paused) return
    if (video.networkState === NO_SOURCE) return
    // Not a timer of the page: those may be stopped already.
    const over = new Promise<void>((resolve) => {
      AbortSignal.timeout(VIDEO_MS).addEventListener('abort', () => resolve())
    })
    const event = (name: string) =>
      new Promise<void>((resolve) => video.addEventListener(name, () => resolve(), { once: true }))
    if (video.readyState < 2) await Promise.race([over, event('loadeddata')])
    video.pause()
    if (video.currentTime === 0 || video.readyState < 2) return
    const seeked = event('seeked')
    video.currentTime = 0
    await Promise.race([over, seeked])
  }

  const hideCaret = (element: HTMLElement | null) => {
    if (/^(body|iframe|html)$/.test(element?.localName ?? 'body')) return
    element?.style?.setProperty('caret-color', 'transparent', 'important')
  }

  const videos: Promise<void>[] = []
  for (const root of roots) {
    stillMovements(root)
    hideCaret(root.activeElement as HTMLElement | null)
    for (const drawing of root.querySelectorAll<SVGSVGElement>(DRAWINGS)) {
      drawing.pauseAnimations()
      drawing.setCurrentTime(DRAWING_SECONDS)
    }
    for (const video of root.querySelectorAll('video')) videos.push(rewind(video))
  }
  await Promise.all(videos)
}

/** Runs in the page. Stops its scripts for good: timers and frames no longer call them. */
export function holdScripts(): void {
  const page = globalThis as unknown as Record<string, (...given: unknown[]) => number>
  for (const [begin, end] of [
    ['setTimeout', 'clearTimeout'],
    ['requestAnimationFrame', 'cancelAnimationFrame'],
  ] as const) {
    // Timers have ascending numbers.
    let last = page[begin]?.(() => {}) ?? 0
    for (let id = last; id > 0; id--) page[end]?.(id)
    // New timers are accepted but never run.
    page[begin] = () => ++last
  }
  page['setInterval'] = () => 0
}
