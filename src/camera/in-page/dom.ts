// Types of the browser's globals that the functions in this folder use. These functions run inside the page, so they can
// use nothing from outside themselves.

export interface Movement {
  readonly effect: { getComputedTiming(): { endTime?: unknown; delay?: number } } | null
  readonly timeline: { readonly subject?: unknown; readonly source?: unknown } | null
  currentTime: unknown
  cancel(): void
  finish(): void
  pause(): void
}

export interface Rectangle {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
  readonly width: number
  readonly height: number
}

export interface PageElement {
  readonly shadowRoot: ElementRoot | null
  readonly parentElement: PageElement | null
  readonly localName: string
  readonly style?: { setProperty(name: string, value: string, priority: string): void }
  loading: string
  getBoundingClientRect(): Rectangle
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
}

export interface ElementRoot {
  readonly activeElement: PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  getAnimations(): Iterable<Movement>
}

export interface Video extends PageElement {
  readonly autoplay: boolean
  readonly readyState: number
  readonly networkState: number
  readonly paused: boolean
  currentTime: number
  pause(): void
  addEventListener(name: string, then: () => void, options: { once: boolean }): void
}

export interface Drawing extends PageElement {
  pauseAnimations(): void
  setCurrentTime(seconds: number): void
}

export interface PageGlobals {
  readonly document: ElementRoot & {
    readonly fonts: { readonly ready: Promise<unknown> }
    readonly scripts: { readonly length: number }
    readonly documentElement: { readonly scrollHeight: number }
  }
  readonly innerHeight: number
  readonly scrollY: number
  readonly visualViewport: { readonly scale: number }
  readonly frames: { readonly length: number }
  readonly MutationObserver: new (
    then: (changes: Iterable<{ target: PageElement }>) => void,
  ) => {
    observe(element: PageElement, options: { attributeFilter: readonly string[] }): void
    disconnect(): void
  }
  requestAnimationFrame(then: (value: unknown) => void): number
  scrollTo(place: { top: number; behavior: 'instant' }): void
  getComputedStyle(element: PageElement): {
    readonly contentVisibility: string
    readonly contain: string
    readonly position: string
    readonly opacity: string
    readonly visibility: string
    readonly display: string
  }
}
